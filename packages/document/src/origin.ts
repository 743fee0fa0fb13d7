import { lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, posix, relative, resolve } from 'node:path'
import { git } from './git.ts'
import { naming, Unreadable } from './load-error.ts'

/** Where the files of a document come from: the file system, or a revision of a git repository. */
export interface Origin {
  /** The path of the document; paths start with a slash. */
  entry: string
  /** A path as shown in messages. */
  nameOf(path: string): string
  /** @throws Unreadable */
  read(path: string): Uint8Array
}

/** Whether this is a URL, as opposed to a path. */
export const isUrl = (reference: string) => /^[a-z][a-z0-9+.-]*:\/\/|^\/\/|^urn:/i.test(reference)

/** Unchanged if it cannot be decoded. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Why nothing is read from a URL. */
export const notFetched = (url: string) =>
  /^file:/i.test(url)
    ? 'a file: URL is not read; write a relative path'
    : 'nothing is fetched over a network; put a copy beside the contract'

/** An existing file, or `REF:PATH` from git. @throws Unreadable */
export const originOf = (where: string, cwd: string): Origin => {
  if (exists(resolve(cwd, where))) return fileSystem(where, cwd)
  if (isUrl(where)) throw new Unreadable(notFetched(where))
  const colon = where.indexOf(':')
  return colon === -1 ? fileSystem(where, cwd) : revision(where.slice(0, colon), where.slice(colon + 1), cwd)
}

/** Whether there is something at a path, readable or not. */
export const exists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // It exists, but cannot be followed; reading it gives the reason.
    return true
  }
}

export const fileSystem = (where: string, cwd: string): Origin => ({
  entry: resolve(cwd, where),
  nameOf: path => (isAbsolute(where) ? path : relative(cwd, path)),
  read: readFile
})

/** The bytes of a file. @throws Unreadable if there is none, or it is a pipe or a device */
export const readFile = (path: string): Uint8Array => {
  try {
    const stats = statSync(path)
    // Reading a pipe or a device may never end.
    if (!stats.isFile() && !stats.isDirectory())
      throw new Unreadable('this is a pipe or a device; save its content in a file first')
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Unreadable) throw error
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new Unreadable('this symbolic link leads to no file')
    throw new Unreadable(reasons[code] ?? `the file cannot be read, ${message}`)
  }
}

/** The text of a file; undefined if there is none. @throws LoadError */
export const textIn = (file: string): string | undefined =>
  exists(file) ? naming(file, () => new TextDecoder().decode(readFile(file))) : undefined

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  ELOOP: 'its symbolic links lead to each other',
  ENAMETOOLONG: 'the name is too long for a file',
  ERR_INVALID_ARG_VALUE: 'no file has such a name',
  EACCES: 'the file may not be read'
}

const revision = (ref: string, path: string, cwd: string): Origin => {
  const tree = treeOf(ref, cwd)
  const inTree = path.startsWith('./') || path.startsWith('../') ? join(prefixOf(cwd), path) : path
  return {
    entry: posix.resolve('/', inTree),
    nameOf: path => `${ref}:${path.slice(1)}`,
    read: path => {
      const object = `${tree}:${path.slice(1)}`
      const text = git(cwd, 'cat-file', 'blob', object)
      if (text !== undefined) return text
      const isFolder = git(cwd, 'cat-file', '-t', object)?.toString().trim() === 'tree'
      throw new Unreadable(isFolder ? reasons.EISDIR : `there is no such file in ${ref === '' ? 'the index' : ref}`)
    }
  }
}

// The tree, not the name, so that all files are of one revision even if a branch moves. An empty name is the index.
const treeOf = (ref: string, cwd: string) => {
  if (ref === '') return ''
  const tree = ref.startsWith('-') ? undefined : git(cwd, 'rev-parse', '--verify', '--quiet', `${ref}^{tree}`)
  if (tree !== undefined) return tree.toString().trim()
  throw new Unreadable(`there is no such file, and git knows no revision ${ref} here; ${adviceFor(ref, cwd)}`)
}

const adviceFor = (ref: string, cwd: string): string => {
  if (git(cwd, 'rev-list', '--max-count=1', '--all')?.length === 0) return 'there are no commits yet'
  const [, remote] = /^([^/-][^/]*)\/HEAD$/.exec(ref) ?? []
  return remote === undefined
    ? 'a shallow clone lacks most of them'
    : `\`git remote set-head ${remote} --auto\` asks ${remote} for it`
}

const prefixOf = (folder: string) => git(folder, 'rev-parse', '--show-prefix')?.toString().replace(/\n$/, '') ?? ''

/**
 * The same file at a git revision, as `REF:PATH` with the path from the root of the file's repository.
 * @throws LoadError
 */
export const atRevision = (ref: string, file: string, cwd = process.cwd()): string => {
  const path = resolve(cwd, file)
  return naming(ref, () => `${ref}:${prefixOf(dirname(path))}${basename(path)}`)
}
