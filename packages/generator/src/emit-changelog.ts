import { dirname, join } from 'node:path'
import {
  compareVersions,
  isObject,
  type JsonObject,
  parseVersion,
  releasesAndDraft,
  type Version
} from '@contract-first/document'

/**
 * The changes in each released version of a contract, and in the contract itself if its version is unreleased, newest
 * first. The result is the same before and after the release.
 */
export const emitChangelog = async ({ info }: JsonObject, entry: string): Promise<string> => {
  // A draft equals the contract, or is outdated.
  const { published: releases } = releasesAndDraft(join(dirname(entry), 'releases'), entry)
  const written = String(isObject(info) ? info.version : '')
  const version = parseVersion(written)
  const isReleased = version !== undefined && releases.some(each => compareVersions(each.version, version) === 0)
  const editions = [
    ...releases.map(each => ({ title: titleOf(each.version), file: each.file })),
    ...(isReleased ? [] : [{ title: version === undefined ? written : titleOf(version), file: entry }])
  ]
  // There is nothing to compare a first release with, and loading the comparison takes time.
  const { changelogBetween } = editions.length > 1 ? await import('@contract-first/check') : {}
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
