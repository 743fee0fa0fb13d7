import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from './free-port.ts'
import { elsewhere, environment, execute } from './installing.ts'
import { run } from './start-server.ts'

/** The instructions of the Dockerfile in a folder, in order, and what it says of a container. */
export const dockerfileAt = (folder: string) => {
  const text = readFileSync(join(folder, 'Dockerfile'), 'utf8').replace(/\\\n\s*/g, '')
  const instructions = [...text.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name = '', rest = '']) => ({ name, rest }))
  const all = (name: string) => instructions.filter(each => each.name === name).map(({ rest }) => rest)
  /** The names and values of ENV or LABEL. */
  const pairs = (name: string): Record<string, string> => {
    const found = all(name)
      .join(' ')
      .matchAll(/(\S+?)=(?:"([^"]*)"|(\S*))/g)
    return Object.fromEntries([...found].map(([, key, quoted, bare]) => [key, quoted ?? bare]))
  }
  const wordsOf = (name: string): string[] => JSON.parse(/\[.*\]$/.exec(all(name).at(-1) ?? '')?.[0] ?? '[]')
  return { instructions, all, pairs, env: pairs('ENV'), command: wordsOf('CMD'), healthCheck: wordsOf('HEALTHCHECK') }
}

/**
 * Performs the steps of the Dockerfile in `context`, all stages in one folder, so that there is nothing to copy from one to the
 * next; then runs the container's command, and asks for its health. Returns the URL of the service. What only a daemon can do is
 * not tried: the image that it begins with, its user, what .dockerignore leaves out, the volume.
 */
export const runImage = async (
  t: Test,
  context: string,
  npmEnv: NodeJS.ProcessEnv,
  settings: Record<string, string>
): Promise<string> => {
  const folder = elsewhere()
  const { instructions, env: ofImage, command, healthCheck } = dockerfileAt(context)
  let ofSteps = npmEnv
  for (const { name, rest } of instructions) {
    if (name === 'ENV') ofSteps = { ...npmEnv, ...ofImage }
    if (name === 'RUN') t.match(await execute(ofSteps, folder, 'sh', '-c', rest), { status: 0 }, rest)
    if (name === 'COPY' && !rest.startsWith('--from')) copy(context, folder, rest.split(' '))
  }
  // Other ports: those of the image may be taken here.
  const env = { ...ofImage, NODE_OPTIONS: '', PORT: '0', OPERATOR_PORT: String(await freePort()), ...settings }
  const [node = '', ...args] = command
  const service = run(t, node, args, { cwd: folder, env })
  const [, url = ''] = await service.printed(/"service":"(http:[^"]*)"/)
  const checked = spawnSync(process.execPath, healthCheck.slice(1), { cwd: folder, env: { ...environment(), ...env } })
  t.equal(checked.status, 0, String(checked.stderr))
  return url.replace('0.0.0.0', '127.0.0.1')
}

const copy = (from: string, to: string, words: readonly string[]) => {
  const target = join(to, words.at(-1) ?? '')
  const isFolder = /[./]$/.test(words.at(-1) ?? '')
  for (const path of globSync(words.slice(0, -1), { cwd: from })) {
    const source = join(from, path)
    // Of a folder, the content is copied.
    const isFile = statSync(source).isFile()
    cpSync(source, isFile && isFolder ? join(target, basename(path)) : target, { recursive: true })
  }
}
