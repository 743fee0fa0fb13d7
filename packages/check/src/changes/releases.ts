import { createHash } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import {
  compareVersions,
  filesOfReleases,
  lastCommitOf,
  parseVersion,
  type Release,
  releasesAndDraft,
  textIn
} from '@contract-first/document'
import type { Complaint } from './finding.ts'

const listName = 'SHA256SUMS'

/** What differs from SHA256SUMS, which `sha256sum --check` reads too, or is lost; a note if git cannot tell. */
export const releaseComplaints = (folder: string, anywhere?: ReturnType<typeof lastRelease>): Complaint[] => {
  const list = join(folder, listName)
  const complain = (message: string, file = list, line = 1) => complaintAt('release-changed', message, file, line)
  const present = filesOfReleases(folder)
  if (!existsSync(list))
    return present.length > 0 ? [complain(`${list} is missing: restore it.`)] : lossOf(folder, anywhere)
  const lines = readFileSync(list, 'utf8').split(/\r?\n/)
  const listed = new Set<string>()

  const changed = lines.flatMap((line, index) => {
    if (line === '') return []
    const complainHere = (message: string) => [complain(message, list, index + 1)]
    const [, sum, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
    if (name === undefined) return complainHere('This is not a line of sha256sum.')
    listed.add(name)
    const file = join(folder, name)
    if (!existsSync(file)) return complainHere(`${file} was released and is missing: restore it.`)
    return sumOf(file) === sum ? [] : [complain(`${file} was changed after its release: restore it.`, file)]
  })
  const unlisted = present.filter(name => !listed.has(name)).map(name => join(folder, name))
  const unknown = (file: string) => complain(`${file} is not in ${list}: \`contract release\` did not make it.`, file)
  return [...changed, ...unlisted.map(unknown)]
}

const complaintAt = (rule: Complaint['rule'], message: string, file: string, line = 1): Complaint => ({
  rule,
  message,
  at: { file, line, column: 1 }
})

/** What git knows of releases in any folder. */
export const lastRelease = () => lastCommitOf(`:(top,glob)**/${listName}`)

/** What is wrong with a folder without a release, or a note if that cannot be told. */
const lossOf = (folder: string, anywhere: ReturnType<typeof lastRelease> | undefined): Complaint[] => {
  const list = join(folder, listName)
  const { commit, isWhole } = anywhere && anywhere.commit === undefined ? anywhere : lastCommitOf(list)
  const restore = `restore it, \`git restore --source ${commit} ${folder}\`.`
  const unknown = `Whether ${folder} held releases before cannot be told without the whole history; \`git fetch --unshallow\` completes a shallow clone.`
  if (commit === undefined) return isWhole ? [] : [complaintAt('release-unknown', unknown, list)]
  return [
    complaintAt('release-changed', `${folder} held releases in commit ${commit} and holds none now: ${restore}`, list)
  ]
}

const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}

/** The copies of a contract within the folder of releases; `files` starts with the main file. */
const copiesOf = (version: string, files: readonly string[]) =>
  files.map(file => {
    const path = relative(dirname(files[0] ?? ''), file)
    if (path.startsWith('..'))
      throw new ReleaseError(`The contract refers to ${file}, outside its folder: a release cannot include it.`)
    return { file, name: files.length === 1 ? version + extname(file) : join(version, path).replaceAll(sep, '/') }
  })

export const draftComplaints = (folder: string, draft: Release, version: string, files: string[]): Complaint[] => {
  const frozen = filesOf(folder, draft)
  const copies = copiesOf(version, files)
  const isSame = ({ file, name }: (typeof copies)[number]) =>
    frozen.includes(name) && readFileSync(file).equals(readFileSync(join(folder, name)))
  if (copies.length === frozen.length && copies.every(isSame)) return []
  const message = `${draft.file} is an outdated draft: freeze it again with \`contract release\`.`
  return [complaintAt('draft-outdated', message, draft.file)]
}

const filesOf = (folder: string, { file }: Release): string[] => {
  const [entry = ''] = relative(folder, file).split(sep)
  return filesOfReleases(folder).filter(name => name === entry || name.startsWith(`${entry}/`))
}

interface Prepared {
  folder: string
  version: string
  copies: ReturnType<typeof copiesOf>
  /** It will be replaced. */
  draft: Release | undefined
}

/** Writes nothing. `files` begins with the main one. @throws ReleaseError if the version or a file cannot be released */
export const prepareRelease = (folder: string, version: string, files: readonly string[]): Prepared => {
  const [contract = ''] = files
  const parsed = parseVersion(version)
  if (parsed === undefined) throw new ReleaseError(`info.version is ${version}, not a semantic version like 1.2.0.`)
  const { published, draft } = releasesAndDraft(folder, contract)
  if (published.some(each => compareVersions(each.version, parsed) === 0))
    throw new ReleaseError(`${version} is already released: change info.version.`)
  return { folder, version, copies: copiesOf(version, files), draft }
}

/** Copies the contract, and returns the copies. It replaces the draft, if there is one, and nothing else. */
export const addRelease = ({ folder, version, copies, draft }: Prepared): string => {
  if (draft !== undefined) removeDraft(folder, draft)
  for (const { file, name } of copies) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    copyFileSync(file, join(folder, name), constants.COPYFILE_EXCL)
  }
  const lines = copies.map(({ name }) => `${sumOf(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, listName), lines.join(''), { flag: 'a' })
  return join(folder, copies.length === 1 ? (copies[0]?.name ?? '') : version)
}

const removeDraft = (folder: string, draft: Release) => {
  const list = join(folder, listName)
  const names = filesOf(folder, draft)
  const lines = readFileSync(list, 'utf8').split('\n')
  writeFileSync(list, lines.filter(line => !names.some(name => line.endsWith(`  ${name}`))).join('\n'))
  rmSync(join(folder, names[0]?.split('/', 1)[0] ?? ''), { recursive: true })
}

/** Adds a version to the folder's changelog, the newest first; one of an incomplete release is replaced. */
export const addEdition = ({ folder, version }: Prepared, edition: string): void => {
  const file = join(folder, 'CHANGELOG.md')
  const [start, ...editions] = (textIn(file) ?? '# Changelog\n').split(/^(?=## )/m)
  const others = editions.filter(each => each.split(/\s/, 2)[1] !== version)
  mkdirSync(folder, { recursive: true })
  // Either the old or the new text is there, whatever happens.
  writeFileSync(`${file}.new`, `${[start?.trimEnd(), edition, ...others.map(each => each.trimEnd())].join('\n\n')}\n`)
  renameSync(`${file}.new`, file)
}
