import { dirname, join } from 'node:path'
import { isObject, type JsonObject } from '../document/json.ts'
import { releasesAndDraft } from '../document/releases.ts'
import { compareVersions, parseVersion, type Version } from '../document/semantic-version.ts'

/**
 * What each released version of a contract has changed, and the contract itself where its version is no release yet, the
 * newest first. It is the same before and after the contract is released.
 */
export const emitChangelog = async ({ info }: JsonObject, entry: string): Promise<string> => {
  // A draft is what the contract says, or has been left behind.
  const { published: releases } = releasesAndDraft(join(dirname(entry), 'releases'), entry)
  const written = String(isObject(info) ? info.version : '')
  const version = parseVersion(written)
  const isReleased = version !== undefined && releases.some(each => compareVersions(each.version, version) === 0)
  const editions = [
    ...releases.map(each => ({ title: titleOf(each.version), file: each.file })),
    ...(isReleased ? [] : [{ title: version === undefined ? written : titleOf(version), file: entry }])
  ]
  // A first release is compared with nothing, and loading what compares takes a while.
  const { changelogBetween } = editions.length > 1 ? await import('../contract/index.ts') : {}
  const sections = editions.map(({ title, file }, index) => {
    const before = editions[index - 1]
    return `## ${title}\n\n${before === undefined ? 'First release.' : changelogBetween?.(before.file, file)}`
  })
  return [header, ...sections.toReversed(), ''].join('\n\n').replace(/\n+$/, '\n')
}

const titleOf = ({ core, prerelease }: Version) =>
  [core.join('.'), ...(prerelease.length === 0 ? [] : [prerelease.join('.')])].join('-')

const header = `<!-- Generated from openapi/releases by \`npm run generate\`: do not edit this. -->

# Changelog`
