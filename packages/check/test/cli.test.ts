import { spawnSync } from 'node:child_process'
import { closeSync, openSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { compiled, childEnvironment as env } from '../../../test/start-server.ts'
import { animals, folderWith } from './contract-command.ts'

t.test('contract: help and version', async t => {
  const { contract } = folderWith(t)
  for (const [args, says] of [
    [[], /^usage: contract COMMAND/],
    [['--help'], /contract approve/],
    [['-h'], /^usage: contract COMMAND/],
    [['help'], /^usage: contract COMMAND/],
    [['check', '-h'], /^usage: contract check/],
    [['-v'], /^\d+\.\d+\.\d+\n$/],
    [
      ['check', '--help'],
      /^usage: contract check \[generated\] \[routes\] \[live\] \[changes\] \[options\]\n[\s\S]*--fail-on LEVEL/
    ],
    [['release', '--help'], /^usage: contract release \[options\]\n/],
    [['approve', '--help'], /--until YYYY-MM-DD/],
    [['rules', '--help'], /^usage: contract rules\n/],
    [['--version'], /^\d+\.\d+\.\d+\n$/]
  ] as const) {
    t.match(await contract(...args), { status: 0, stdout: says, stderr: /^$/ }, args.join(' '))
  }
})

t.test('contract: invalid usage exits with 2 and one line that tells the valid one', async t => {
  const { contract } = folderWith(t, { 'openapi.yaml': animals() })
  for (const [args, says] of [
    [['chek'], 'Unknown command chek; the commands are check, release, approve, rules. See contract --help.'],
    [['routes', '--url', 'x'], 'Unknown command routes; it is a check: contract check routes.'],
    [['--verbose'], 'Unknown command --verbose; the commands are check, release, approve, rules. See contract --help.'],
    [['--version', 'check'], 'Unexpected argument check.'],
    [['check', 'change'], 'change is not a check; choose from generated, routes, live, changes.'],
    [['check', '--agianst', 'x'], 'contract check has no option --agianst; did you mean --against?'],
    [['check', '--colour'], 'contract check has no option --colour; contract check --help lists them.'],
    [['check', '-s'], 'contract check has no option -s; contract check --help lists them.'],
    [['check', '--against'], '--against needs a value: --against FILE | REF:PATH | REF'],
    [['check', '--against', '--strict'], '--against needs a value: --against FILE | REF:PATH | REF'],
    [['check', '--strict=yes'], '--strict takes no value.'],
    [['check', '--today', '2026-11-20', '--today', '2026-11-21'], '--today was given twice.'],
    [['check', '--today', '2026-02-30'], '--today must be a date, YYYY-MM-DD, not 2026-02-30.'],
    [['check', '--grace-days', 'many'], '--grace-days must be a whole number from 0, not many.'],
    [['check', '--grace-days', '-1'], '--grace-days must be a whole number from 0, not -1.'],
    [['check', '--grace-days=-1'], '--grace-days must be a whole number from 0, not -1.'],
    [['check', '--fail-on', 'all'], 'all is not a level; choose from breaking, undecided, sdk, compatible, none.'],
    [
      ['check', '--format', 'xml'],
      'xml is not a format; choose from text, json, github, markdown, html, changelog, changelog-html, sarif, junit, gitlab.'
    ],
    [['check', '--format', 'json='], '--format json= needs a file: --format json=FILE'],
    [
      ['check', '--format', 'json', '--format', 'sarif'],
      'Only one format can be printed: write the other into a file, --format sarif=FILE.'
    ],
    [['check', '--policy', 'defaults=breaking,defaults=compatible'], 'defaults is set twice.'],
    [['check', '--policy', 'defaults'], 'defaults needs a level: defaults=breaking or defaults=compatible.'],
    [
      ['check', '--policy', 'defaults=no'],
      'no is not a level of a policy; choose from breaking, undecided, compatible.'
    ],
    [['check', '--url', 'localhost:3000'], '--url must be a URL like http://127.0.0.1:3000, not localhost:3000.'],
    ...[
      'http://me:secret@localhost/v1',
      'http://me@localhost',
      'me:secret@localhost',
      'http://me:se/cret@localhost'
    ].map(
      url => [['check', '--url', url], '--url must have no user name or password; give the key with --key.'] as const
    ),
    [['check', '--key', 'secret'], '--key is for contract check live --url URL.'],
    [['check', 'changes', '--url', 'http://localhost'], '--url is for contract check live.'],
    [['check', 'routes', '--against', 'main'], '--against is for contract check changes.'],
    [['check', 'generated'], /^generated is not configured: `generated` in contract\.config\.ts checks .+/],
    [['check', 'routes'], /^routes is not configured: .*live --url URL, a running server$/],
    [['check', 'live'], 'live is not configured: --url URL names the server to check'],
    [['release', '1.0.0'], 'Unexpected argument 1.0.0.'],
    [['release', '--against', 'main'], /^contract release has no option --against; /],
    [['approve'], 'contract approve needs the fingerprints of the findings to accept.'],
    [['approve', '0123456789ab', '--until', '2027-01-01'], 'contract approve needs --reason TEXT.'],
    [['approve', '0123456789ab', '--reason', 'so'], 'contract approve needs --until YYYY-MM-DD.'],
    [['rules', 'all'], 'Unexpected argument all.']
  ] as const) {
    const { status, stdout, stderr } = await contract(...args)
    t.strictSame(
      { status, stdout, lines: stderr.split('\n').length },
      { status: 2, stdout: '', lines: 2 },
      args.join(' ')
    )
    t.match(stderr.trimEnd(), says)
  }
})

t.test('contract check changes: against a file, a file at a revision, a revision, or the newest release', async t => {
  const { contract, changes, write, git } = folderWith(t, { 'api/openapi.yaml': animals() })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('commit', '--quiet', '--message=first')
  write('old.yaml', animals())
  write('api/openapi.yaml', animals({ version: '2.0.0', maximum: 50 }))
  const args = ['--contract', 'api/openapi.yaml', '--format', 'json']
  for (const [against, name] of [
    ['old.yaml', 'old.yaml'],
    ['main:api/openapi.yaml', 'main:api/openapi.yaml'],
    ['HEAD', 'HEAD:api/openapi.yaml']
  ] as const) {
    const { status, stdout } = await changes(...args, '--against', against)
    const { findings, ...outcome } = JSON.parse(stdout).changes
    t.equal(status, 1, against)
    t.match(outcome, { against: name, complaints: [], version: { step: 'major', next: '2.0.0', follows: true } })
    t.match(findings, [
      { level: 'breaking', place: 'GET /pets query parameter limit', before: { file: name, line: 13 } }
    ])
  }

  write('api/openapi.yaml', animals())
  t.match(await contract('release', '--contract', 'api/openapi.yaml', '--today', '2026-11-20'), {
    status: 0,
    stdout: /Released: openapi\/releases\/1\.0\.0\.yaml\n$/
  })
  t.equal((await changes(...args)).status, 0)
  write('api/openapi.yaml', animals({ version: '2.0.0', maximum: 50 }))
  const { status, stdout } = await changes(...args)
  t.equal(status, 1)
  t.match(JSON.parse(stdout), { changes: { against: 'openapi/releases/1.0.0.yaml' }, exitCode: 1 })
})

t.test('contract check changes: a branch is compared with its base, and its version with the release', async t => {
  const { contract, changes, write, git } = folderWith(t, { 'openapi.yaml': animals() })
  await contract('release', '--today', '2026-11-20')
  git('init', '--quiet', '--initial-branch=main')
  write('openapi.yaml', animals({ version: '2.0.0', maximum: 50 }))
  git('add', '.')
  git('commit', '--quiet', '--message=breaks')
  write('openapi.yaml', animals({ version: '2.0.0', maximum: 60 }))
  t.match(await changes('--against', 'main'), {
    status: 0,
    stdout:
      /calls for 2\.0\.0 \(major\), and info\.version is 2\.0\.0\nProven for 1 operation: no client of the earlier contract breaks\.\n$/
  })
  write('openapi.yaml', animals({ version: '1.1.0', maximum: 60 }))
  t.match(await changes('--against', 'main'), {
    status: 1,
    stdout: /the changes since openapi\/releases\/1\.0\.0\.yaml call for 2\.0\.0 or later/
  })
})

t.test('contract check changes: an unreadable contract exits with 3, and is never called breaking', async t => {
  const { changes } = folderWith(t, {
    'openapi.yaml': animals(),
    'no.yaml': '{',
    'swagger.yaml': 'swagger: "1.2"',
    'ref.yaml': animals({ more: "    post: { $ref: '#/nowhere' }\n" })
  })
  for (const args of [
    ['--against', 'gone.yaml'],
    ['--against', 'main:openapi.yaml'],
    ['--contract', 'gone.yaml'],
    ['--contract', 'no.yaml'],
    ['--contract', 'swagger.yaml'],
    ['--contract', 'ref.yaml']
  ]) {
    const { status, stdout, stderr } = await changes(...args)
    t.strictSame({ status, stdout }, { status: 3, stdout: '' }, args.join(' '))
    t.match(stderr, /^changes: .+\n$/)
  }
})

t.test('contract check changes: --fail-on sets the lowest level that fails', async t => {
  const { changes, write } = folderWith(t, { 'old.yaml': animals() })
  const failing = async (text: string) => {
    write('new.yaml', text)
    const levels: string[] = []
    for (const level of ['none', 'breaking', 'undecided', 'sdk', 'compatible']) {
      const { status } = await changes('--contract', 'new.yaml', '--against', 'old.yaml', '--fail-on', level)
      if (status === 1) levels.push(level)
    }
    return levels
  }
  const version = '2.0.0'
  t.strictSame(await failing(animals({ version, maximum: 50 })), ['breaking', 'undecided', 'sdk', 'compatible'])
  t.strictSame(await failing(animals({ version, operationId: 'listAnimals' })), ['sdk', 'compatible'])
  t.strictSame(await failing(animals({ version, maximum: 200 })), ['compatible'])
  t.strictSame(await failing(animals()), [])
})

t.test('contract check: one comparison is reported in several formats, into files too', async t => {
  const { changes, read } = folderWith(t, { 'openapi.yaml': animals({ maximum: 50 }), 'old.yaml': animals() })
  const args = ['--against', 'old.yaml', '--format', 'markdown=changes.md', '--format', 'json=changes.json']
  t.match(
    await changes(...args),
    { status: 1, stdout: /BREAKING[\s\S]*contract approve/ },
    'text is printed unless told'
  )
  t.match(await changes(...args, '--format', 'github'), { status: 1, stdout: /^::error / })
  t.match(read('changes.md'), /### Breaking/)
  t.match(JSON.parse(read('changes.json')), { contract: 'openapi.yaml', exitCode: 1 })
  t.match(await changes(...args, '--format', 'sarif=gone/a.sarif'), { status: 3, stderr: /gone\/a\.sarif/ })
})

t.test('contract check changes: --today and --grace-days decide whether a sunset is valid', async t => {
  const sunset = 'deprecated: true\n      x-sunset: 2027-03-01\n      operationId'
  const { contract } = folderWith(t, {
    'old.yaml': animals(),
    'openapi.yaml': animals({ version: '1.1.0' }).replace('operationId', sunset)
  })
  const check = (today: string, ...more: string[]) =>
    contract('check', 'changes', '--against', 'old.yaml', '--today', today, ...more)
  t.match(await check('2026-06-01'), { status: 0 })
  t.match(await check('2026-11-20'), { status: 1, stdout: /sunset-notice-too-short/ })
  t.match(await check('2026-11-20', '--grace-days', '90'), { status: 0 })
  t.match(await check('2027-03-02', '--grace-days', '0'), { status: 1, stdout: /ERROR[\s\S]+sunset-date-passed/ })
})

t.test('contract check changes: a sunset that passes fails the check, but requires no new version', async t => {
  const sunset = 'deprecated: true\n      x-sunset: 2027-03-01\n      operationId'
  const { contract } = folderWith(t, { 'openapi.yaml': animals().replace('operationId', sunset) })
  t.match(await contract('release', '--today', '2026-11-20'), { status: 0 })
  t.match(await contract('check', 'changes', '--today', '2027-03-02'), {
    status: 1,
    stdout:
      /ERROR +Its sunset, [0-9-]+, has come, [\s\S]+sunset-date-passed [\s\S]+\nchanges: the interface has not changed, sunset-date-passed; version 1\.0\.0\n/
  })
})

t.test('contract check: everything configured is checked, and the most severe result decides', async t => {
  const { contract, write } = folderWith(t, {
    'old.yaml': animals(),
    'openapi.yaml': animals(),
    'broken.yaml': animals({ version: '2.0.0', maximum: 50 })
  })
  let number = 0
  /** Each check has its own file, since a module is loaded only once. */
  const check = (generated: string, routes: string, ...args: string[]) => {
    const file = `config-${number++}.ts`
    write(file, `export const config = { generated: () => ${generated}, routes: async () => (${routes}) }`)
    return contract('check', '--config', file, '--against', 'old.yaml', '--today', '2026-11-20', ...args)
  }
  const declared = `{ routes: [{ method: 'GET', path: '/pets', operation: {
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
    responses: { 200: {} } } }] }`
  const stale = "['generated/a.ts: is stale\\n- old\\n+ new', 'b.ts: is missing']"

  t.match(await check('[]', declared, '--contract', 'openapi.yaml'), {
    status: 0,
    stdout: /^generated: up to date\nroutes: 1 route, no differences\n\n/
  })
  t.match(await check(stale, declared, '--contract', 'openapi.yaml'), {
    status: 4,
    stdout: /^generated\/a\.ts: is stale\n- old\n\+ new\n\nb\.ts: is missing\n\ngenerated: 2 stale files\n/
  })
  t.match(await check(stale, '{ routes: [] }', '--contract', 'openapi.yaml'), {
    status: 5,
    stdout: /GET \/pets\n {2}DIFFERS +No route is registered at \/pets\.\n\nroutes: 1 difference\n/
  })
  t.match(await check('[]', '{ routes: [] }', '--contract', 'openapi.yaml', '--format', 'github'), {
    status: 5,
    stdout:
      /^::error file=openapi\.yaml,line=5,col=5,title=routes-differ::GET \/pets: No route is registered at \/pets\.$/m
  })
  t.match(await check(stale, '{ routes: [] }', '--contract', 'broken.yaml'), { status: 1, stdout: /BREAKING/ })
  t.match(await check("{ throw new Error('it is refused') }", '{ routes: [] }', '--contract', 'broken.yaml'), {
    status: 3,
    stdout: /BREAKING/,
    stderr: /^generated: `generated` of config-5\.ts: it is refused \(config-5\.ts:\d+:\d+\)\n$/
  })
})

t.test('contract check: what is not configured is reported, and fails only if nothing else is checked', async t => {
  const { contract, write } = folderWith(t, { 'openapi.yaml': animals() })
  const stdout =
    /^generated: not configured: .+\nroutes: not configured: .+\n\nchanges: there is nothing to compare openapi\.yaml with: no release is published yet, and `contract release` makes the first; version 1\.0\.0\n$/
  const stderr = /^Nothing was checked: /
  t.match(await contract('check', '--today', '2026-11-20'), { status: 2, stdout, stderr })
  write('contract.config.js', 'export const config = { generated: () => [] }')
  t.match(await contract('check'), { status: 0, stdout: /^routes: not configured: /, stderr: /^$/ })
})

t.test('contract check changes: without an earlier version it fails, as nothing was compared', async t => {
  const { changes } = folderWith(t, { 'openapi.yaml': animals() })
  t.match(await changes(), {
    status: 3,
    stdout: /^$/,
    stderr:
      'changes: there is nothing to compare openapi.yaml with: openapi/releases has no release; make the first with `contract release`, or name an earlier version with --against\n'
  })
})

t.test('contract check changes: the contract is not compared with itself', async t => {
  const { changes, contract, folder } = folderWith(t, { 'openapi.yaml': animals() })
  symlinkSync('openapi.yaml', join(folder, 'old.yaml'))
  for (const file of ['openapi.yaml', './openapi.yaml', join(folder, 'openapi.yaml'), 'old.yaml']) {
    const reason = `there is nothing to compare openapi.yaml with: ${file} is the contract itself; name an earlier version with --against\n`
    const { status, stdout, stderr } = await changes('--against', file)
    t.strictSame({ status, stdout, stderr }, { status: 3, stdout: '', stderr: `changes: ${reason}` })
    const approve = ['approve', '0123456789ab', '--reason', 'so', '--until', '2026-12-31', '--today', '2026-11-20']
    t.match(await contract(...approve, '--against', file), { status: 3, stderr: reason })
  }
})

t.test('contract check changes: a misspelled file to compare with is no revision', async t => {
  const { changes } = folderWith(t, { 'openapi.yaml': animals() })
  const stderr = 'changes: opnapi.yaml: there is no such file\n'
  t.match(await changes('--against', 'opnapi.yaml'), { status: 3, stderr })
})

t.test('contract check: on a terminal, progress is shown after two seconds, and cleared', async t => {
  const { folder } = folderWith(t, {
    'openapi.yaml': animals(),
    'contract.config.js': `import { setTimeout } from 'node:timers/promises'
      export const config = { generated: () => setTimeout(Number(process.env.MS), []) }`,
    'package.json': '{ "type": "module" }'
  })
  const command = `${process.execPath} ${resolve('packages/check/bin/contract.js')} check generated`
  const run = (variables: Record<string, string>) =>
    spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
      env: { TERM: 'xterm', NO_COLOR: '1', ...compiled, ...variables }
    })
  const upToDate = 'generated: up to date\r\n'
  const { error, stdout } = run({ MS: '0' })
  if (error !== undefined) {
    t.comment('skipped: the program `script`, which runs commands on a terminal, is not there')
    return
  }
  t.equal(stdout, upToDate)
  t.equal(run({ MS: '2500', CI: 'true' }).stdout, upToDate)
  const [shown = '', ...rest] = run({ MS: '2500' }).stdout.split('\x1b[0K')
  t.match(shown, /checking generated/)
  t.equal(rest.at(-1), upToDate)
})

const isLinux = process.platform === 'linux'

t.test(
  'contract: an output that cannot be written, or a folder that is gone, exits with 3',
  { skip: !isLinux },
  async t => {
    const folder = t.testdir()
    const full = openSync('/dev/full', 'w')
    t.teardown(() => closeSync(full))
    const file = resolve('packages/check/bin/contract.js')
    const output = spawnSync(process.execPath, [file, 'rules'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
      env
    })
    t.match(output, { status: 3, stderr: /^the output cannot be written: ENOSPC.+\n$/ })
    // Without the modules that tap makes Node.js import, which need the folder as well.
    const command = `rmdir "$PWD"; unset NODE_OPTIONS; exec "${process.execPath}" "${file}" --help`
    const gone = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env })
    t.match(gone, { status: 3, stdout: '', stderr: /^ENOENT.+\n$/ })
  }
)

t.test('contract rules: each with a reason and an example', async t => {
  const { contract } = folderWith(t)
  t.match(await contract('rules'), {
    status: 0,
    stdout: /^operation-removed \(breaking, wire\)\n {2}.+\.\n {2}in: document\n {2}- .+\n {2}\+ .+/m
  })
})
