import t from 'tap'
import { compareVersions, parseVersion, type Version } from '../../document/src/semantic-version.ts'
import { type Step, verdict } from '../src/changes/version.ts'
import { animals, folderWith } from './contract-command.ts'

t.test('version: the order is that of semver.org', async t => {
  const rising = [
    '0.9.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0'
  ]
  const versions = rising.map(text => parseVersion(text) as Version)
  for (const [index, a] of versions.entries()) {
    for (const [other, b] of versions.entries()) {
      t.equal(Math.sign(compareVersions(a, b)), Math.sign(index - other), `${rising[index]} and ${rising[other]}`)
    }
  }
})

t.test('version: build metadata is ignored, and other versions are not semantic', async t => {
  t.strictSame(parseVersion('1.2.3+build.5'), parseVersion('1.2.3'))
  for (const text of ['', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-a..b', '2026-11-20', '1.2.3 ']) {
    t.equal(parseVersion(text), undefined, text)
  }
})

t.test('version: which versions satisfy each step', async t => {
  const cases: [Step, before: string, next: string, follow: string[], not: string[]][] = [
    ['major', '1.2.3', '2.0.0', ['2.0.0', '2.1.0', '3.0.0', '2.0.0-beta.1'], ['1.2.3', '1.3.0', '0.9.0', '1.9.9-rc.1']],
    ['minor', '1.2.3', '1.3.0', ['1.3.0', '1.3.1', '2.0.0', '1.3.0-rc.1'], ['1.2.3', '1.2.4', '1.2.0']],
    ['patch', '1.2.3', '1.2.4', ['1.2.4', '1.3.0', '2.0.0'], ['1.2.3', '1.2.2', '1.2.3-rc.1']],
    ['none', '1.2.3', '1.2.3', ['1.2.3', '1.2.4', '1.2.3+build'], ['1.2.2', '1.2.3-rc.1']],
    // Before 1.0.0, breaking changes increase the second number.
    ['major', '0.2.3', '0.3.0', ['0.3.0', '1.0.0'], ['0.2.4', '0.2.3']],
    ['minor', '0.2.3', '0.3.0', ['0.3.0'], ['0.2.4']],
    // A change that a pre-release has announced needs no further version.
    ['major', '2.0.0-beta.1', '2.0.0', ['2.0.0-beta.2', '2.0.0'], ['2.0.0-beta.1', '2.0.0-alpha', '1.9.0']],
    ['major', '1.1.0-beta.1', '2.0.0', ['2.0.0'], ['1.1.0', '1.2.0']],
    ['minor', '1.1.1-beta.1', '1.2.0', ['1.2.0'], ['1.1.1']],
    ['patch', '1.1.1-beta.1', '1.1.1', ['1.1.1', '1.1.1-beta.2'], ['1.1.1-beta.1']]
  ]
  for (const [step, before, next, follow, not] of cases) {
    for (const after of [...follow, ...not]) {
      const { follows, next: called } = verdict(step, before, after)
      t.strictSame(
        { called, follows },
        { called: next, follows: follow.includes(after) },
        `${step}: ${before} to ${after}`
      )
    }
  }
})

t.test('version: nothing is required of a version that is not semantic', async t => {
  t.strictSame(verdict('major', 'v1', 'v1'), { step: 'major', before: 'v1', after: 'v1', follows: true })
  t.match(verdict('major', '1.0.0', 'v2'), { next: '2.0.0', follows: true })
})

t.test('version: the summary names the changes, and what is wrong with the version', async t => {
  const { changes, write } = folderWith(t, { 'old.yaml': animals() })
  const summary = async (text: string) => {
    write('new.yaml', text)
    const { stdout } = await changes('--contract', 'new.yaml', '--against', 'old.yaml', '--check-version')
    return /^changes: (.+)$/m.exec(stdout)?.[1]
  }
  const described = animals().replace('All', 'All of them')
  t.equal(await summary(animals()), 'the interface has not changed; version 1.0.0')
  t.equal(
    await summary(described),
    'nothing that clients see has changed, version-too-low; calls for 1.0.1 (patch), but info.version is 1.0.0'
  )
  t.equal(
    await summary(described.replace('1.0.0', '2026-11')),
    'nothing that clients see has changed; calls for 1.0.1 (patch), but info.version is 2026-11, not a semantic version'
  )
  t.equal(
    await summary(described.replace(', version: 1.0.0', '')),
    'nothing that clients see has changed; calls for 1.0.1 (patch), but there is no info.version'
  )
  t.equal(
    await summary(animals({ version: '0.9.0' })),
    'nothing that clients see has changed, version-too-low; calls for 1.0.1 (patch), but info.version is 0.9.0'
  )
})

t.test('version: what is undecided may break clients, and calls for a major version', async t => {
  const untyped = (more: string) => animals().replace(/schema:\n(?: {12}.*\n)+/, `schema: {}\n${more}`)
  const { changes } = folderWith(t, { 'old.yaml': untyped(''), 'new.yaml': untyped('          explode: false\n') })
  const { stdout } = await changes('--contract', 'new.yaml', '--against', 'old.yaml', '--check-version')
  t.match(stdout, /^changes: 1 undecided, version-too-low; calls for 2\.0\.0 \(major\), but info\.version is 1\.0\.0$/m)
})

t.test('version: it is checked only if a release, the configuration or an option asks for it', async t => {
  const { contract, changes, write, git } = folderWith(t, { 'openapi.yaml': animals() })
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'One')
  write('openapi.yaml', animals().replace('All', 'All of them'))
  const against = ['--against', 'main', '--fail-on', 'breaking']
  t.match(await changes(...against), {
    status: 0,
    stdout: /\nchanges: nothing that clients see has changed; calls for 1\.0\.1 \(patch\)$/m
  })
  const tooLow = { status: 1, stdout: /version-too-low[\s\S]+ version-too-low; .+, but info\.version is 1\.0\.0$/m }
  t.match(await changes(...against, '--check-version'), tooLow)

  write('contract.config.json', '{ "checkVersion": true }')
  t.match(await changes(...against), tooLow)
  write('contract.config.json', '{ "checkVersion": "yes" }')
  t.match(await changes(...against), { status: 2, stderr: 'contract.config.json: checkVersion must be a boolean' })

  write('contract.config.json', '{}')
  await contract('release', '--today', '2026-11-20')
  t.match(await changes(...against), { status: 0 }, 'as released')
  write('openapi.yaml', animals().replace('All', 'All animals'))
  t.match(await changes(...against), tooLow)
  write('contract.config.json', '{ "checkVersion": false }')
  t.match(await changes(...against), { status: 0 })
})

t.test('version: a lifecycle mistake must be fixed, but requires no new version', async t => {
  const sunset = (text: string) => animals().replace('operationId', `${text}\n      operationId`)
  const { changes, write } = folderWith(t, { 'old.yaml': sunset('deprecated: true\n      x-stability: beta') })
  for (const [text, rule] of [
    ['deprecated: true\n      x-sunset: soon', 'sunset-date-invalid'],
    ['deprecated: true\n      x-deprecated-since: 2026-01-01', 'sunset-date-missing'],
    ['deprecated: true\n      x-stability-level: stable', 'lifecycle-contradictory']
  ] as const) {
    write('new.yaml', sunset(`x-stability: beta\n      ${text}`))
    const { status, stdout } = await changes('--contract', 'new.yaml', '--against', 'old.yaml')
    t.equal(status, 1)
    t.match(stdout, new RegExp(`ERROR [^]+${rule}`))
    t.notMatch(stdout, /BREAKING|meant/)
  }
})

t.test('version: what changes of a contract require', async t => {
  const { changes, write } = folderWith(t, { 'old.yaml': animals() })
  const called = async (text: string) => {
    write('new.yaml', text)
    const { stdout } = await changes('--contract', 'new.yaml', '--against', 'old.yaml', '--format', 'json')
    const { step, next, follows } = JSON.parse(stdout).changes.version
    return [step, next, follows]
  }
  t.strictSame(await called(animals()), ['none', '1.0.0', true])
  t.strictSame(await called(`# A remark\n${animals()}`), ['none', '1.0.0', true])
  t.strictSame(await called(animals().replace('All', 'All of them')), ['patch', '1.0.1', false])
  t.strictSame(await called(animals({ maximum: 200 })), ['minor', '1.1.0', false])
  t.strictSame(await called(animals({ operationId: 'listAnimals' })), ['minor', '1.1.0', false])
  t.strictSame(await called(animals({ maximum: 50 })), ['major', '2.0.0', false])
  t.strictSame(await called(animals({ maximum: 50, version: '2.0.0' })), ['major', '2.0.0', true])
})
