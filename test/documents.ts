import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { projectFolder, resultOf, run, startServer } from './start-server.ts'

export const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')
const fences = /^( *)```(.*)\n([\s\S]*?)^ *```$/gm

export interface Document {
  path: string
  text: string
  /** The code blocks of a document, in order. */
  blocks: { language: string; code: string }[]
  /** A document without its code blocks. */
  prose: string
}

/** All documents of the project. */
export const documents: Document[] = [
  ...globSync(['*.md', 'docs/*.md', '{packages,scripts,src}/*/README.md'], { cwd: projectFolder }).toSorted(),
  'generated/README.md',
  'test/contracts/README.md'
].map(path => {
  const text = read(path)
  const blocks = [...text.matchAll(fences)].map(([, , language = '', code = '']) => ({ language, code }))
  return { path, text, blocks, prose: text.replace(fences, '') }
})

export const documentAt = (path: string) => {
  const found = documents.find(each => each.path === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found
}

/** The text below a heading, up to the next one. */
export const sectionOf = (path: string, heading: string) => {
  const section = documentAt(path)
    .text.split(/^#+ /m)
    .find(each => each.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${path} has no section "${heading}"`)
  return section
}

/** Runs a document's shell code unchanged, except for the places of service and files. */
export const perform = async (
  t: Test,
  code: string,
  places: Record<string, string>,
  env: Record<string, string> = {}
) => {
  let placed = code
  for (const [documented, here] of Object.entries(places)) placed = placed.replaceAll(documented, here)
  const result = await resultOf(run(t, 'sh', ['-ec', placed], { cwd: projectFolder, env }))
  t.match(result, { code: 0 }, code.split('\n', 1).join())
  return result.stdout
}

/** The shell blocks of the documents for people. */
export const shell = documents
  .filter(({ path }) => !path.includes('/') || path.startsWith('docs/'))
  .flatMap(({ path, blocks }) => blocks.filter(({ language }) => language === 'sh').map(({ code }) => ({ path, code })))
/** Those that a test has asked for. */
export const ran = new Set<string>()

/** The one shell block of a document that begins like this. */
export const shellOf = (path: string, beginning: string): string => {
  const [found, ...others] = shell.filter(each => each.path === path && each.code.startsWith(beginning))
  if (found === undefined || others.length > 0) throw new Error(`${path}: not one block begins with "${beginning}"`)
  ran.add(found.code)
  return found.code
}

/** The service with its own database, and the replacements for the places in the documents. */
export const serve = async (t: Test) => {
  const folder = t.testdir({ backups: {} })
  const env = { DATABASE_URL: `sqlite:${join(folder, 'animals.db')}` }
  const server = await startServer(t, { cwd: folder, env })
  const places = {
    'http://127.0.0.1:3000': server.origin,
    'headers.txt': join(folder, 'headers.txt'),
    '/backups': join(folder, 'backups')
  }
  return { server, folder, env, places, end: () => server.process.kill('SIGTERM') && server.ended }
}
