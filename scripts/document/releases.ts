import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadDocument } from './document.ts'
import { LoadError } from './load-error.ts'
import { compareVersions, parseVersion, type Version } from './semantic-version.ts'

/** A version of the contract as it was published, or as it is to be while it is a draft. */
export interface Release {
  version: Version
  /** What a contract is compared with. */
  file: string
}

/**
 * By rising version. A contract of one file is released as `1.2.0.yaml`, one of several as a folder `1.2.0`, in which
 * `contract` is the name of the first of them.
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
 * Whether a frozen contract marks itself as unpublished, by `x-draft: true` in its `info`. Only that may be replaced: the
 * mark is in what is frozen, so that no edit of the contract can turn a published release back into a draft.
 * @throws LoadError
 */
export const isDraft = (file: string): boolean => loadDocument(file).root.get('info')?.get('x-draft')?.value === true

/** The published ones, and the draft, of which there is one at most. */
export const releasesAndDraft = (folder: string, contract: string): { published: Release[]; draft?: Release } => {
  const all = releasesIn(folder, contract)
  const newest = all.at(-1)
  return newest !== undefined && isDraft(newest.file)
    ? { published: all.slice(0, -1), draft: newest }
    : { published: all }
}

export const filesAndFolders = (folder: string, recursive = false): Dirent[] => {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() === false) throw new LoadError([`${folder}: the releases must be a folder`])
  return stats === undefined ? [] : readdirSync(folder, { withFileTypes: true, recursive })
}
