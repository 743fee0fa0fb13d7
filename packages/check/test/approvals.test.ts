import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { compiled } from '../../../test/start-server.ts'
import { approveIn, readApprovals, removeApprovals } from '../src/changes/approvals.ts'
import type { Finding } from '../src/changes/finding.ts'
import { commandAsTyped } from '../src/command.ts'
import { animals, folderWith } from './contract-command.ts'

const broken = { 'old.yaml': animals(), 'openapi.yaml': animals({ version: '2.0.0', maximum: 50 }) }
const against = ['--against', 'old.yaml', '--today', '2026-11-20'] as const
const file = 'openapi/approvals.yaml'

/** A folder with a breaking contract, and the fingerprint of the finding. */
const brokenContract = async (t: Parameters<typeof folderWith>[0]) => {
  const folder = folderWith(t, broken)
  const { stdout } = await folder.contract('check', 'changes', ...against, '--format', 'json')
  const [{ fingerprint, rule, place }] = JSON.parse(stdout).changes.findings
  const entry = (change: Record<string, string> = {}) => {
    const fields = {
      fingerprint: `'${fingerprint}'`,
      rule,
      place,
      reason: 'Nobody asks for more',
      until: '2027-01-31',
      ...change
    }
    return `- ${Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n  ')}\n`
  }
  return { ...folder, fingerprint, entry, check: () => folder.contract('check', 'changes', ...against) }
}

t.test('approvals: contract approve accepts a finding until a day, and reports show it', async t => {
  const { contract, check, read, fingerprint } = await brokenContract(t)
  const reason = 'Nobody asks for more: see the log'
  t.match(await contract('approve', fingerprint, '--reason', reason, '--until', '2027-01-31', ...against), {
    status: 0,
    stdout: /^approved until 2027-01-31: request-maximum-\w+ at GET \/pets query parameter limit\n$/
  })
  t.match(
    read(file),
    /^# .+\n\n- fingerprint: "?[0-9a-f]{12}"?\n {2}rule: .+\n {2}place: .+\n {2}reason: "Nobody .+"\n {2}until: 2027-01-31\n$/
  )
  const { status, stdout } = await check()
  t.equal(status, 0)
  t.match(
    stdout,
    /approved +query parameter limit: .+\n(?: +.+\n)* +approved until 2027-01-31: Nobody asks for more: see the log\n/
  )
  t.match(stdout, /changes: 1 approved; calls for 2\.0\.0 \(major\), and info\.version is 2\.0\.0\n$/)
})

t.test('approvals: a new major version needs none, if the team wants that', async t => {
  const { check, contract, write } = await brokenContract(t)
  t.match(await check(), { status: 1, stdout: /If it is intended/ })
  const free = await contract('check', 'changes', ...against, '--major-may-break')
  t.match(free, {
    status: 0,
    stdout: /changes: 1 breaking; calls for 2\.0\.0 \(major\), and info\.version is 2\.0\.0\n$/
  })
  write('contract.config.json', '{ "majorMayBreak": true }')
  t.match(await check(), { status: 0 })
  write('openapi.yaml', animals({ version: '1.5.0', maximum: 20 }))
  t.match(await check(), { status: 1, stdout: /If it is intended/ })
})

t.test('approvals: contract approve refuses what cannot be approved', async t => {
  const { contract, fingerprint, write, entry } = await brokenContract(t)
  const approve = (print: string, until = '2027-01-31', ...more: string[]) =>
    contract('approve', print, '--reason', 'so', '--until', until, ...against, ...more)
  t.match(await approve('0123456789ab'), {
    status: 2,
    stderr: /^0123456789ab is not a finding; contract check changes lists/
  })
  t.match(await approve(fingerprint, '2026-11-19'), {
    status: 2,
    stderr: '--until 2026-11-19 is in the past: today is 2026-11-20.'
  })
  t.match(await approve(fingerprint, 'tomorrow'), {
    status: 2,
    stderr: '--until must be a date, YYYY-MM-DD, not tomorrow.'
  })
  write(file, entry())
  t.match(await approve(fingerprint), {
    status: 2,
    stderr: `${fingerprint} already has an entry in openapi/approvals.yaml:1:3.`
  })
  write(file, '- 5\n')
  t.match(await approve(fingerprint), {
    status: 2,
    stderr: 'openapi/approvals.yaml:1:3: An approval has fingerprint, rule,'
  })

  write('wide.yaml', animals({ version: '2.0.0', maximum: 200 }))
  const { stdout } = await contract('check', 'changes', '--contract', 'wide.yaml', ...against, '--format', 'json')
  const [{ fingerprint: compatible }] = JSON.parse(stdout).changes.findings
  write(file, '')
  t.match(await approve(compatible, '2027-01-31', '--contract', 'wide.yaml'), {
    status: 2,
    stderr: `${compatible} is compatible and needs no approval.`
  })
})

t.test('approvals: a useless entry is reported with its location', async t => {
  const { check, write, entry, fingerprint } = await brokenContract(t)
  for (const [text, says] of [
    [
      entry({ until: '2026-11-19' }),
      `1:3\n  ERROR +The approval of ${fingerprint} has expired: 2026-11-19 was its last day`
    ],
    [entry() + entry(), `6:3\n  ERROR +${fingerprint} is already approved in line 1`],
    [
      entry({ owner: 'me' }),
      '1:3\n  ERROR +Unknown field owner: an approval has fingerprint, rule, place, reason, until'
    ],
    [entry({ reason: '' }), '1:3\n  ERROR +reason is missing'],
    [entry({ until: '2027-02-30' }), '1:3\n  ERROR +2027-02-30 is not a date, YYYY-MM-DD'],
    [entry({ fingerprint: 'abc' }), '1:3\n  ERROR +abc is not a fingerprint, 12 hexadecimal digits'],
    [
      entry({ rule: 'operation-removed' }),
      `1:3\n  ERROR +${fingerprint} is request-.+, not operation-removed at GET /pets`
    ],
    ['# Nothing\n- so\n', '2:3\n  ERROR +An approval has fingerprint, rule, place, reason, until'],
    ['approvals: []\n', '1:1\n  ERROR +This is not a list of approvals'],
    ['- {}\n', '1:3\n  ERROR +fingerprint, rule, place, reason, until are missing\\.'],
    [
      entry({ owner: 'me', until: 'May' }),
      '1:3\n  ERROR +Unknown field owner: .+\n +approval-invalid\n  ERROR +May is not a date'
    ],
    ['- fingerprint: [\n', '1:17\n  ERROR +This is not YAML: ']
  ] as const) {
    write(file, text)
    t.match(await check(), { status: 1, stdout: new RegExp(`^openapi/approvals\\.yaml:${says}`, 'm') }, says)
  }
})

t.test('approvals: an entry that matches nothing, even an expired one, fails no pull request after it', async t => {
  const { changes, write, entry, git } = await brokenContract(t)
  git('init', '-q', '-b', 'main')
  write(file, `${entry()}${entry({ fingerprint: "'0123456789ab'", until: '2026-01-31' })}`)
  git('add', '.')
  git('commit', '-qm', 'One')
  write('openapi.yaml', animals({ version: '2.1.0', maximum: 60 }))
  const { status, stdout } = await changes('--against', 'main')
  t.equal(status, 0)
  t.match(stdout, /^openapi\/approvals\.yaml:6:3\n {2}note +0123456789ab matches no finding: remove the entry, unless/m)
  t.match(stdout, /\nchanges: 1 compatible; /)
  t.match(await changes('--against', 'main', '--format', 'github'), {
    status: 0,
    stdout: /^::notice file=openapi\/approvals\.yaml,line=6,col=3,title=approval-unused::/m
  })
})

t.test('approvals: an entry is not called useless if nothing was compared', async t => {
  const { contract, write, entry } = await brokenContract(t)
  const approve = ['approve', '0123456789ab', '--reason', 'so', '--until', '2027-01-31', '--today', '2026-11-20']
  t.match(await contract(...approve), {
    status: 3,
    stderr:
      'there is nothing to compare openapi.yaml with: openapi/releases has no release; make the first with `contract release`, or name an earlier version with --against\n'
  })
  write(file, entry())
  const { status, stdout } = await contract('check')
  t.equal(status, 2)
  t.match(stdout, 'there is nothing to compare openapi.yaml with')
  t.notMatch(stdout, 'matches no finding')
})

t.test('approvals: an approval stays valid if the schemas involved change compatibly, and only then', async t => {
  const inline = (properties: string) => `{ type: object, required: [kind], properties: { kind: {}, ${properties} } }`
  const [a, b] = [inline('a: { type: string }'), inline('b: { type: integer }')]
  const named = (names: string) => `oneOf: [${[...names].map(name => `{ $ref: '#/components/schemas/${name}' }`)}]`
  const body = (schema: string) => `
openapi: 3.1.0
info: { title: Animals, version: 1.0.0 }
paths:
  /pets: { post: { requestBody: { content: { application/json: { schema: { ${schema} } } } }, responses: {} } }
components: { schemas: { A: { const: a }, B: { const: b }, C: { const: c }, D: { const: d } } }`
  const cases: [before: string, approved: string, same: string[], other: string[]][] = [
    ['enum: [a, b, c]', 'enum: [a, b]', ['enum: [b, d, a]'], ['enum: [a]', 'enum: [b, c]']],
    [named('ABC'), named('AB'), [named('ABD')], [named('A'), named('AC')]],
    [
      'type: object',
      `not: ${a}`,
      [`not: ${inline('a: { type: string, maxLength: 5 }')}`],
      ['type: object, maxProperties: 1']
    ],
    [
      `oneOf: [${a}, ${b}, { type: string }, { type: "null" }]`,
      `oneOf: [${a}, ${b}, { type: string, maxLength: 2 }]`,
      [`oneOf: [${inline('a: { type: string }, c: { type: string }')}, ${b}, { type: string, maxLength: 2 }]`],
      []
    ]
  ]
  for (const [before, approved, same, other] of cases) {
    const { changes, contract, write } = folderWith(t, { 'old.yaml': body(before) })
    write('openapi.yaml', body(approved))
    const { stdout } = await changes('--against', 'old.yaml', '--format', 'json')
    const findings: Finding[] = JSON.parse(stdout).changes.findings
    const prints = findings.filter(({ level }) => level !== 'compatible').map(({ fingerprint }) => fingerprint)
    t.ok(prints.length > 0, approved)
    const day = ['--against', 'old.yaml', '--today', '2026-11-20']
    await contract('approve', ...prints, '--reason', 'so', '--until', '2026-12-31', ...day)
    for (const schema of [approved, ...same, ...other]) {
      write('openapi.yaml', body(schema))
      const { status, stdout } = await changes('--against', 'old.yaml')
      t.equal(status, other.includes(schema) ? 1 : 0, `${approved}, then ${schema}: ${stdout}`)
    }
  }
})

t.test('approvals: a breaking change fails whatever the version, and the report tells how to approve it', async t => {
  const { check, fingerprint } = await brokenContract(t)
  const { stdout } = await check()
  t.match(stdout, /calls for 2\.0\.0 \(major\), and info\.version is 2\.0\.0\n/)
  const hint = stdout.trimEnd().split('\n').slice(-2)
  t.strictSame(hint, [
    'If it is intended, with a reason and a date of your own:',
    `contract approve ${fingerprint} --against old.yaml --today 2026-11-20 --reason Intended --until 2026-12-20`
  ])
})

t.test('approvals: the printed command can be pasted into a shell', async t => {
  const more = ['a', 'b', 'c', 'd'].map(name => `  /${name}: { get: { responses: { '200': { description: A } } } }\n`)
  const { folder, read } = folderWith(t, {
    'old one.yaml': animals({ more: more.join('') }),
    'openapi.yaml': animals({ version: '2.0.0' })
  })
  const shell = (line: string) =>
    spawnSync('sh', ['-c', line], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...compiled,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        GIT_CEILING_DIRECTORIES: dirname(folder)
      }
    })
  const command = fileURLToPath(new URL('../bin/contract.js', import.meta.url))
  const check = `node '${command}' check changes --today 2026-11-20 --against 'old one.yaml'`
  const { status, stdout } = shell(check)
  t.equal(status, 1)
  const line = stdout.trimEnd().split('\n').at(-1) ?? ''
  t.match(line, /^node .*contract\.js approve(?: [0-9a-f]{12}){4} --against 'old one\.yaml'/)
  t.match(shell(line), { status: 0, stderr: '' })
  t.equal(read('openapi/approvals.yaml').match(/reason: Intended/g)?.length, 4)
  t.equal(shell(check).status, 0)
})

t.test('approvals: a command is printed as the user typed it', async t => {
  const [checkout, installed] = ['/shop/.contract/packages/check/bin/contract.js', '/shop/node_modules/.bin/contract']
  const run = (event: string, script: string) => ({ npm_lifecycle_event: event, npm_lifecycle_script: script })
  t.equal(commandAsTyped(checkout, run('contract', 'node packages/check/bin/contract.js')), 'npm run contract --')
  t.equal(commandAsTyped(installed, run('api', 'contract')), 'npm run api --')
  t.equal(commandAsTyped(installed, run('test', 'contract check && tap')), 'npx contract')
  t.equal(commandAsTyped(installed, run('npx', 'contract')), 'npx contract')
  t.equal(commandAsTyped(installed, {}), 'npx contract')
  t.equal(commandAsTyped('/shop/node_modules/@contract-first/check/dist/cli.js', {}), 'npx contract')
  const cached = '/home/me/.cache/pre-commit/repo1/packages/check/bin/contract.js'
  t.equal(commandAsTyped(cached, {}), 'npx contract', 'where it is installed')
  const here = `${process.cwd()}/it's here/cli.ts`
  t.equal(commandAsTyped(here, {}), "node 'it'\\''s here/cli.ts'")
  t.equal(
    commandAsTyped(`${process.cwd()}/packages/check/bin/contract.js`, run('npx', "'node'")),
    'npx node packages/check/bin/contract.js'
  )
})

t.test('approvals: a finding that does not fail the check cannot be approved', async t => {
  const { contract } = folderWith(t, {
    'old.yaml': animals(),
    'openapi.yaml': animals({ version: '2.0.0', operationId: 'listAnimals' })
  })
  const check = (...args: string[]) =>
    contract('check', 'changes', '--today', '2026-11-20', '--against', 'old.yaml', ...args)
  for (const args of [
    ['--fail-on', 'none'],
    ['--format', 'github']
  ])
    t.notMatch(await check(...args), { stdout: /meant/ }, args.join(' '))
  t.match(await check('--fail-on', 'sdk'), { stdout: /If it is intended/ })
})

t.test('approvals: an approval includes its last day', async t => {
  const { contract, write, entry, fingerprint } = await brokenContract(t)
  write(file, entry())
  const check = (today: string) => contract('check', 'changes', '--against', 'old.yaml', '--today', today)
  t.match(await check('2027-01-31'), { status: 0 })
  t.match(await check('2027-02-01'), { status: 1, stdout: /BREAKING[\s\S]+approval-expired/ })

  const until = ['--reason', 'Not yet', '--until', '2027-03-31']
  t.match(await contract('approve', fingerprint, ...until, '--against', 'old.yaml', '--today', '2027-02-01'), {
    status: 0
  })
  t.match(await check('2027-03-31'), { status: 0, stdout: /approved until 2027-03-31: Not yet/ }, 'prolonged')
})

t.test('approvals: adding and removing entries keeps what people wrote', async t => {
  const path = join(
    t.testdir({
      'approvals.yaml':
        '# Ours\n- fingerprint: 123456789012 # of May\n  rule: a\n  place: b\n  reason: c\n  until: 2027-01-01\n\n# Theirs\n'
    }),
    'approvals.yaml'
  )
  // YAML could read these fingerprints as numbers; they are strings nevertheless.
  const findings = ['1234567e8901', '000000000000'].map(
    fingerprint => ({ fingerprint, rule: 'a', place: 'b: "c"' }) as Finding
  )
  approveIn(path, findings, { reason: 'two\nlines', until: '2027-01-01' })
  const { approvals, complaints } = readApprovals(path)
  t.strictSame(complaints, [])
  t.strictSame(
    approvals.map(({ at, ...approval }) => approval),
    [
      { fingerprint: '123456789012', rule: 'a', place: 'b', reason: 'c', until: '2027-01-01' },
      ...findings.map(finding => ({ ...finding, reason: 'two\nlines', until: '2027-01-01' }))
    ]
  )
  removeApprovals(path, findings)
  const text = readFileSync(path, 'utf8')
  t.match(text, /^# Ours\n- fingerprint: 123456789012 # of May\n/)
  t.match(text, '# Theirs')
  t.equal(readApprovals(path).approvals.length, 1)
})

t.test('approvals: a release removes its approvals', async t => {
  const { contract, changes, write, read } = folderWith(t, { 'openapi.yaml': animals() })
  const today = ['--today', '2026-11-20']
  await contract('release', ...today)
  write('openapi.yaml', animals({ version: '2.0.0', maximum: 50 }))
  const { stdout } = await changes('--format', 'json')
  const [{ fingerprint }] = JSON.parse(stdout).changes.findings
  t.match(await contract('release', ...today), { status: 1, stderr: 'Nothing was released: the check has failed.' })
  await contract('approve', fingerprint, '--reason', 'so', '--until', '2026-12-31', ...today)
  t.match(await contract('release', ...today), { status: 0, stdout: /Released: openapi\/releases\/2\.0\.0\.yaml\n$/ })
  t.match(read(file), /^# .+\n\n\[\]\n$/)
  t.match(read('openapi/releases/CHANGELOG.md'), '\n  Reason: so.\n  Old and new request:')
  t.match(await changes(), { status: 0 })
})
