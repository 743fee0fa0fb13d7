import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { runHere } from '../../../test/run-here.ts'
import { contract as contractCommand } from '../../check/src/contract.ts'
import { derive } from '../src/generate.ts'
import { runGenerator } from '../src/index.ts'

const contract = (version: string, { maximum = 100, more = '', description = 'The animals' } = {}) => `openapi: 3.1.0
info: { title: Animals, version: ${version} }
paths:
  /pets:
    get:
      operationId: listPets
      description: ${description}
      parameters:
        - { name: limit, in: query, schema: { type: integer, format: int32, minimum: 1, maximum: ${maximum} } }
      responses: { '204': { description: None } }
${more}`

const sold = ({ removal = '2030-12-05', gone = false } = {}) =>
  gone
    ? ''
    : `  /sold:
    get:
      operationId: listSold
      deprecated: true
      x-deprecated-since: 2026-11-20
      x-sunset: ${removal}
      responses: { '204': { description: None } }
`

/** The changelog of a contract with these releases. */
const changelogOf = async (t: Test, files: Record<string, string>) => {
  const folder = t.testdir()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const changelog = (await derive(join(folder, 'api.yaml'))).get('CHANGELOG.md') ?? ''
  const [header = '', title = '', ...sections] = changelog.split(/\n{2}(?=#{1,2} )/)
  t.match(header, /^<!--.*-->$/)
  t.equal(title, '# Changelog')
  return sections.join('\n\n')
}

t.test('changelog: a contract without releases is its own first one', async t => {
  t.equal(await changelogOf(t, { 'api.yaml': contract('1.0.0') }), '## 1.0.0\n\nFirst release.\n')
  t.equal(await changelogOf(t, { 'api.yaml': contract('v2') }), '## v2\n\nFirst release.\n')
})

t.test('changelog: each version is compared with the previous one, newest first', async t => {
  const changelog = await changelogOf(t, {
    'releases/1.0.0.yaml': contract('1.0.0', { more: sold() }),
    'releases/1.10.0.yaml': contract('1.10.0', { maximum: 50, more: sold({ gone: true }) }),
    'releases/1.9.0.yaml': contract('1.9.0', { maximum: 200, more: sold({ removal: '2031-12-05' }) }),
    'releases/1.9.1/api.yaml': contract('1.9.1', {
      maximum: 200,
      more: sold({ removal: '2031-12-05' }),
      description: 'All'
    }),
    'api.yaml': contract('2.0.0-rc.1', {
      maximum: 50,
      more: '  /cats: { get: { operationId: listCats, responses: { "204": { description: None } } } }'
    })
  })
  t.equal(
    changelog,
    `## 2.0.0-rc.1

### Added

- \`GET /cats\` is new.

## 1.10.0

### Breaking changes

#### \`GET /pets\`

- The query parameter \`limit\` must now be at most 50; it was at most 200.
  Old and new request:
  \`\`\`diff
  - GET /pets?limit=51
  + GET /pets?limit=50
  \`\`\`

### Removed

- \`GET /sold\` was removed, as announced for 2031-12-05.

## 1.9.1

Nothing that clients see has changed.

## 1.9.0

### Changed

- \`GET /pets\`: The query parameter \`limit\` may now be at most 200; it was at most 100.

### Deprecated

- \`GET /sold\` may now be removed from 2031-12-05 on, later than announced: 2030-12-05.

## 1.0.0

First release.
`
  )
})

t.test('changelog: a header of many responses is listed once', async t => {
  const responsesWith = (headers: string) =>
    `      responses: { '204': { description: None${headers} }, '404': { description: None${headers} } }`
  const cats = (headers: string) => `  /cats:\n    get:\n      operationId: listCats\n${responsesWith(headers)}\n`
  const total = ', headers: { Total: { schema: { type: string } } }'
  const changelog = await changelogOf(t, {
    'releases/1.0.0.yaml': contract('1.0.0', { more: cats('') }),
    'api.yaml': contract('1.1.0', { more: cats(total) })
  })
  t.equal(
    changelog,
    `## 1.1.0

### Added

- \`GET /cats\`: The header \`Total\` of the responses 204, 404 is new and may be sent.

## 1.0.0

First release.
`
  )
})

t.test('changelog: a contract whose version is released has no section of its own', async t => {
  const changelog = await changelogOf(t, {
    'releases/1.0.0.yaml': contract('1.0.0'),
    'api.yaml': contract('1.0.0', { maximum: 200 })
  })
  t.equal(changelog, '## 1.0.0\n\nFirst release.\n')
})

t.test('changelog: it does not depend on the current date', async t => {
  // Deprecated at short notice, and past its sunset: a check would report both, on any day.
  const changelog = await changelogOf(t, {
    'releases/1.0.0.yaml': contract('1.0.0', { more: sold({ removal: '2026-11-21' }) }),
    'api.yaml': contract('1.1.0', {
      more: `${sold({ removal: '2026-11-21' })}${sold({ removal: '2026-11-22' }).replaceAll('old', 'ick')}`
    })
  })
  t.equal(changelog, '## 1.1.0\n\n### Added\n\n- `GET /sick` is new.\n\n## 1.0.0\n\nFirst release.\n')
})

t.test('changelog: a release that cannot be read is named', async t => {
  const files = { 'releases/1.0.0.yaml': 'openapi: 3.1.0\n- paths\n', 'api.yaml': contract('1.1.0') }
  await t.rejects(changelogOf(t, files), { name: 'LoadError', message: /releases\/1\.0\.0\.yaml:2:1: / })
})

t.test('changelog: a release does not make generated files stale', async t => {
  const folder = t.testdir({ openapi: {} })
  const release = () => runHere(t, folder, () => contractCommand(['release', '--today', '2026-11-20']))
  const generate = (...args: string[]) => runHere(t, folder, () => runGenerator(['generate', ...args]))
  writeFileSync(join(folder, 'package.json'), '{ "generator": { "contract": "openapi/petstore.yaml" } }')
  writeFileSync(join(folder, 'openapi/petstore.yaml'), contract('1.0.0'))
  t.match(await release(), { status: 0, stdout: 'Released: openapi/releases/1.0.0.yaml' })
  writeFileSync(join(folder, 'openapi/petstore.yaml'), contract('1.1.0', { maximum: 200 }))
  t.match(await generate(), { status: 0 })
  t.match(
    readFileSync(join(folder, 'generated/CHANGELOG.md'), 'utf8'),
    /## 1\.1\.0\n\n### Changed\n[\s\S]*## 1\.0\.0\n/
  )
  t.match(await release(), { status: 0, stdout: 'Released: openapi/releases/1.1.0.yaml' })
  t.match(await generate('--check'), { status: 0 })
})
