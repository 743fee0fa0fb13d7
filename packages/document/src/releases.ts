import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { loadDocument } from './document.ts'
import { git } from './git.ts'
import { LoadError, Unreadable } from './load-error.ts'
import { compareVersions, parseVersion, type Version } from './semantic-version.ts'

/** A version of the contract as published, or a draft of it. */
export interface Release {
  version: Version
  /** The file that a contract is compared with. */
  file: string
}

/**
 * Releases in ascending order. A contract with one file is released as `1.2.0.yaml`, one with several as a folder `1.2.0`
 * with `contract` as its main file.
 */
export const releasesIn = (folder: string, contract: string): Release[] =>
  filesAndFolders(folder)
    .flatMap(entry => {
      const name = entry.isDirectory() ? entry.name : entry.name.replace(/\.(?:ya?ml|json)$/, '')
      const version = parseVersion(name)
      if (version === undefined || (name === entry.name && !entry.isDirectory())) return []
      return [{ version, file: join(folder, entry.name, entry.isDirectory() ? basename(contract) : '') }]
    })
    .toSorted((a, b) => compareVersions(a.version, b.version))

/**
 * Whether a frozen contract is marked as unpublished by `x-draft: true` in its `info`. Only a draft may be replaced: the
 * mark is in the frozen copy, so that no edit of the contract can turn a published release back into a draft.
 * @throws LoadError
 */
export const isDraft = (file: string): boolean => loadDocument(file).root.get('info')?.get('x-draft')?.value === true

/** The published releases, and the draft, if any. */
export const releasesAndDraft = (folder: string, contract: string): { published: Release[]; draft?: Release } => {
  const all = releasesIn(folder, contract)
  const newest = all.at(-1)
  return newest !== undefined && isDraft(newest.file)
    ? { published: all.slice(0, -1), draft: newest }
    : { published: all }
}

/** The files of all releases, relative to the folder. */
export const filesOfReleases = (folder: string): string[] =>
  filesAndFolders(folder, true)
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter(name => parseVersion(name.split('/', 1)[0]?.replace(/\.(?:ya?ml|json)$/, '') ?? '') !== undefined)
    .toSorted()

/**
 * The last commit that added or changed a file; without one, whether the clone has the whole history, so that there was
 * none.
 */
export const lastCommitOf = (file: string): { commit?: string; isWhole: boolean } => {
  const run = (...args: string[]) =>
    git('.', ...args)
      ?.toString()
      .trim()
  try {
    const commit = run('log', '-1', '--diff-filter=AM', '--format=%h', '--', file)
    if (commit) return { commit, isWhole: true }
    return { isWhole: run('rev-parse', '--is-shallow-repository') === 'false' }
  } catch (error) {
    if (error instanceof Unreadable) return { isWhole: false }
    throw error
  }
}

const filesAndFolders = (folder: string, recursive = false): Dirent[] => {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() === false) throw new LoadError([`${folder}: the releases must be a folder`])
  return stats === undefined ? [] : readdirSync(folder, { withFileTypes: true, recursive })
}
