export { basePathOf, isUrl, otherBasePathsOf } from './base-path.ts'
export { closest } from './closest.ts'
export { atRevision, LoadError, type LoadOptions, loadDocument, OpenApiDocument, readDocument } from './document.ts'
export { sourcesOf } from './document-sources.ts'
export { getOrMake } from './get-or-make.ts'
export { mayNameSchemas, resourceOf } from './identifiers.ts'
export {
  asDoubles,
  entriesOf,
  holds,
  isObject,
  type Json,
  type JsonObject,
  jsonText,
  mapScalars,
  put,
  withOther,
  withPart
} from './json.ts'
export { JsonReading, Unexpected } from './json-reading.ts'
export { dayOf, type Lifecycle, notADate, readLifecycle, sinceKey, stabilityKeys, sunsetKeys } from './lifecycle.ts'
export { byPlace, isStackOverflow, lineOf, loadErrorAt, naming, type Problem } from './load-error.ts'
export { block, code, text } from './markdown-text.ts'
export { essenceOf, isJsonType } from './media-type.ts'
export { Missing } from './missing.ts'
export { Node, type Place, type Source } from './node.ts'
export { isText, saysOnlyNullable } from './nullable.ts'
export { decoded, exists, notFetched, readFile, textIn } from './origin.ts'
export { References } from './references.ts'
export { inEcmaScript, regexOf, whyNoRegex, withoutUnicodeFlag } from './regular-expression.ts'
export { filesOfReleases, isDraft, lastCommitOf, type Release, releasesAndDraft } from './releases.ts'
export { mayBeSchema, placeIn, type SchemaPlace } from './schema-places.ts'
export { compareCores, compareVersions, parseVersion, type Version } from './semantic-version.ts'
export { shellQuoted, shellWord } from './shell.ts'
export { SourceFile } from './source.ts'
export { componentsOf } from './strongly-connected.ts'
export { convertible, emptyTypes, inconvertible, isSwagger, writtenAt } from './swagger.ts'
export { type Fault, listed, shortened, type Written } from './text.ts'
export { walk } from './walk.ts'
export { yamlDocument } from './yaml-document.ts'
export { Reading } from './yaml-text.ts'
