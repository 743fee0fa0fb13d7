import { chmodSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { animals, folderWith } from './contract-command.ts'

const two = { more: '    post: { operationId: addPet, tags: [admin], responses: { "204": { description: Added } } }' }

t.test('several contracts: two patterns pair those with the same path in both trees', async t => {
  const { changes, contract, write, read } = folderWith(t, {
    'old/pets/api.yaml': animals(),
    'old/toys/api.yaml': animals(),
    'old/gone/api.yaml': animals(),
    'new/pets/api.yaml': animals({ maximum: 50 }),
    'new/toys/api.yaml': animals(),
    'new/more/api.yaml': animals(),
    'old/part/api.yaml': 'type: object',
    'new/part/api.yaml': 'type: string'
  })
  const both = ['--contract', 'new/*/api.yaml', '--against', 'old/*/api.yaml']
  const { status, stdout } = await changes(...both, '--format', 'json=all.json', '--format', 'junit=all.xml')
  t.equal(status, 1)
  t.match(stdout, /^new\/more\/api\.yaml\n\nchanges: it is a new contract\n/)
  t.match(stdout, /\nnew\/pets\/api\.yaml, compared with old\/pets\/api\.yaml\n\nGET \/pets\n {2}BREAKING /)
  t.match(stdout, /\nold\/gone\/api\.yaml is gone\n\nGET \/pets\n {2}BREAKING +It was removed\./)
  t.match(
    stdout,
    /\nUnchanged: new\/toys\/api\.yaml\n\n4 contracts: 2 of them fail: new\/pets\/api\.yaml, old\/gone\/api\.yaml\n/
  )
  const { contracts, exitCode } = JSON.parse(read('all.json'))
  t.strictSame(
    contracts.map(({ contract, exitCode }: { contract: string; exitCode: number }) => [contract, exitCode]),
    [
      ['new/more/api.yaml', 0],
      ['new/pets/api.yaml', 1],
      ['new/toys/api.yaml', 0],
      ['old/gone/api.yaml', 1]
    ]
  )
  t.equal(exitCode, 1)
  t.match(read('all.xml'), 'name="new/toys/api.yaml: changes: the interface has not changed')
  for (const format of ['markdown', 'html', 'github', 'sarif', 'gitlab'])
    t.match((await changes(...both, '--format', format)).stdout, 'gone/api.yaml', format)
  t.match(
    (await changes(...both, '--format', 'changelog')).stdout,
    /^## Animals, `new\/pets\/api\.yaml`\n[\s\S]*\n## Animals, /
  )

  t.match(await contract('check', ...both), { status: 1, stdout: 'it is a new contract' }, 'of all that is configured')

  const [, approval = ''] =
    /contract (approve .+)$/m.exec((await changes(...both)).stdout.replace(/^[\s\S]*intended/, '')) ?? []
  t.match(await contract(...approval.replaceAll("'", '').split(' ')), { status: 0, stdout: 'operation-removed' })
  t.match(read('new/gone/approvals/api.yaml'), 'Intended')

  write('new/toys/api.yaml', 'openapi: [')
  const broken = await changes(...both, '--format', 'markdown')
  t.equal(broken.status, 3, 'what cannot be read does not hide the others')
  t.match(broken.stdout, /## new\/toys\/api\.yaml\n\nchanges: new\/toys\/api\.yaml:1:\d+: this YAML cannot be read/)
  t.match(broken.stdout, '### Breaking')

  for (const [args, message] of [
    [
      ['--contract', 'new/*/api.yaml', '--against', 'old/pets/api.yaml'],
      '3 contracts cannot be compared with one file'
    ],
    [['--contract', 'new/pets/api.yaml', '--against', 'old/*/api.yaml'], '--contract needs one, too'],
    [['--contract', 'no/*.yaml'], 'no/*.yaml matches no contract.'],
    [['--contract', 'new/more/api.yaml', 'new/pets/api.yaml'], "a pattern needs quotes, --contract 'apis/*.yaml'"]
  ] as const)
    t.match(await changes(...args), { status: 2, stderr: message })
})

t.test('several contracts: a pattern in the configuration gives each its releases and approvals', async t => {
  const { changes, contract, write, read, git, folder } = folderWith(t, {
    'contract.config.json': '{ "contract": "services/*/api.yaml", "releases": "published" }',
    'services/pets/api.yaml': animals(),
    'services/toys/api.yaml': animals(),
    'services/toys/releases/events/1.0.0.yaml': animals()
  })
  const one = ['--contract', 'services/pets/api.yaml', '--today', '2026-11-20']
  t.match(await contract('release', '--today', '2026-11-20'), {
    status: 2,
    stderr: /^There are 2 contracts: name one /
  })
  t.match(await contract('release', ...one), {
    status: 0,
    stdout: /Released: services\/pets\/published\/1\.0\.0\.yaml/
  })
  write('services/pets/api.yaml', animals({ maximum: 50 }))
  const { status, stdout } = await changes()
  t.equal(status, 1)
  const [, command = ''] = /contract (approve .+)$/m.exec(stdout) ?? []
  t.match(command, '--contract services/pets/api.yaml')
  t.match(await contract(...command.split(' ')), { status: 0 })
  t.match(read('services/pets/approvals/api.yaml'), 'Intended')
  write('services/pets/api.yaml', animals({ maximum: 50, version: '2.0.0' }))
  t.match(await changes(), { status: 0, stdout: '2 contracts: all pass' })

  renameSync(join(folder, 'services/pets/api.yaml'), join(folder, 'api.yaml'))
  t.match(await changes(), {
    status: 1,
    stdout: /services\/pets\/published\/1\.0\.0\.yaml is gone\n\nGET \/pets\n {2}BREAKING +It was removed/
  })
  const [, approval = ''] = /contract (approve .+)$/m.exec((await changes()).stdout) ?? []
  t.match(await contract(...approval.split(' ')), { status: 0, stdout: 'operation-removed at GET /pets' })
  t.match(await changes(), { status: 0, stdout: /is gone\n\nGET \/pets\n {2}approved/ }, 'its removal is approved')
  renameSync(join(folder, 'api.yaml'), join(folder, 'services/pets/api.yaml'))
  write('services/pets/other.yaml', animals())
  t.match(await changes('--contract', 'services/*/*.yaml'), {
    status: 2,
    stderr: 'would share services/pets/published: let releases have {name}'
  })
  rmSync(join(folder, 'services/pets/other.yaml'))

  git('init', '--quiet')
  git('add', 'services/toys', 'contract.config.json')
  git('commit', '--quiet', '--message', 'one')
  t.match(await changes('--against', 'HEAD'), {
    status: 0,
    stdout: /services\/pets\/api\.yaml\n\nchanges: it is a new contract/
  })
  write('contract.config.json', '{ "contract": "services/*/api.yaml" }')
  t.notMatch((await changes('--against', 'HEAD')).stdout, 'events', 'it is of another contract')
})

t.test('several contracts: git is asked once about releases if there were none', async t => {
  const names = ['a', 'b', 'c'].map(each => `${each}/api.yaml`)
  const { changes, write, read, git, folder } = folderWith(t, Object.fromEntries(names.map(each => [each, animals()])))
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
  write('bin/git', `#!/bin/sh\necho "$@" >> '${folder}/calls'\nPATH=$PATH_OF_GIT exec git "$@"\n`)
  chmodSync(join(folder, 'bin/git'), 0o755)
  const { PATH } = process.env
  Object.assign(process.env, { PATH_OF_GIT: PATH, PATH: `${folder}/bin:${PATH}` })
  t.teardown(() => Object.assign(process.env, { PATH }))
  t.match(await changes('--contract', '*/api.yaml'), { status: 3, stdout: '3 contracts' })
  t.equal(read('calls').match(/ log /g)?.length, 1)
})

t.test('operations can be left out, which is said; what leaves nothing out is a note', async t => {
  const marked = (more: string) => animals().replace('operationId', `${more}\n      operationId`)
  for (const [exclusion, change] of [
    ['/pets', marked('')],
    ['/p*', marked('')],
    ['/**', marked('')],
    ['operation=listPets', marked('')],
    ['tag=internal', marked('tags: [internal]')],
    ['x-internal', marked('x-internal: true')]
  ] as const) {
    const files = { 'openapi.yaml': change.replace('100', '50'), 'old.yaml': change }
    const { changes } = folderWith(t, files)
    const against = ['--against', 'old.yaml']
    t.match(await changes(...against), { status: 1 })
    const { status, stdout } = await changes(...against, '--exclude', exclusion, '--exclude', '/none')
    t.equal(status, 0, exclusion)
    t.match(stdout, /\nLeft out: 1 operation\.\n$/)
    t.notMatch(stdout, 'Proven')
    t.match(stdout, /note +\/none matches no operation of either contract\./)
    t.notMatch(stdout, ` ${exclusion} matches no`)
    const policy = ['--policy', 'defaults@/p*=compatible,defaults@/none/**=compatible']
    const noted = (await changes(...against, ...policy)).stdout
    t.match(noted, 'defaults@/none/** matches no operation of either contract.')
    t.notMatch(noted, 'defaults@/p* matches')
  }
  const { changes, write } = folderWith(t, { 'openapi.yaml': animals(two), 'old.yaml': animals(two) })
  t.match(await changes('--against', 'old.yaml', '--exclude', 'tag=admin'), {
    stdout: /Proven for 1 operation: .*\nLeft out: 1 operation\./
  })
  write('openapi.yaml', marked('x-internal: true'))
  write('old.yaml', animals())
  t.match(
    await changes('--against', 'old.yaml', '--exclude', 'x-internal'),
    { stdout: /BREAKING +It was removed/ },
    'it was public'
  )
  t.match(await changes('--exclude', 'internal'), {
    status: 2,
    stderr: 'internal is nothing to exclude: give a path (/internal/**), '
  })
  write('contract.config.json', '{ "exclude": "x-internal" }')
  t.match(await changes('--against', 'old.yaml'), { status: 2, stderr: 'exclude must be a list of strings' })
})

t.test('a rule has another level in some paths', async t => {
  const { changes } = folderWith(t, { 'openapi.yaml': animals({ maximum: 50 }), 'old.yaml': animals() })
  const under = async (policy: string) => changes('--against', 'old.yaml', '--policy', policy)
  const rule = 'request-maximum-narrowed'
  t.match(await under(`${rule}=compatible`), {
    status: 0,
    stdout: /; but the policy accepts it\./
  })
  t.match(await under(`${rule}=undecided`), { status: 1, stdout: /UNDECIDED/ })
  t.match(await under(`${rule}@/pets/**=compatible`), { status: 0 })
  t.match(await under(`${rule}@/toys/**=compatible`), { status: 1 })
  t.match(await under(`${rule}@/**=breaking,${rule}=compatible`), { status: 1 }, 'the path is more exact')
  t.match(await under('request-maximum-narowed=compatible'), { status: 2, stderr: `did you mean ${rule}?` })
  t.match(await under(`${rule}@pets=compatible`), { status: 2, stderr: 'needs a path that begins with a slash' })
})

t.test('paths that begin otherwise are compared as if they had not moved', async t => {
  const below = (prefix: string, maximum = 100) => animals({ maximum }).replace('/pets:', `${prefix}/pets:`)
  const { changes, write } = folderWith(t, { 'openapi.yaml': below('/api/v1', 50), 'old.yaml': below('/v1') })
  const moved = (...prefixes: string[]) =>
    changes('--against', 'old.yaml', ...prefixes.flatMap(each => ['--moved-prefix', each]))
  t.match(await moved(), { status: 1, stdout: /BREAKING +It is now GET \/api/ })
  t.match(await moved('/v1=/api/v1'), {
    status: 1,
    stdout: /^.+\n\nGET \/api\/v1\/pets\n {2}BREAKING +query parameter limit: /
  })
  write('openapi.yaml', below('/api/v1'))
  const { status, stdout } = await moved('/v1/=/api/v1/', '/v2=/api/v2')
  t.equal(status, 0)
  t.match(
    stdout,
    /\nCompared \/v1 as \/api\/v1, \/v2 as \/api\/v2: clients that call the URLs of the earlier contract need /
  )
  t.notMatch(stdout, 'Proven')
  t.match(stdout, '/v2=/api/v2 matches no operation')
  write('openapi.yaml', below('/api/v1'))
  t.match(await moved('=/api'), { status: 0 })
  t.match(await moved('/v1'), { status: 2, stderr: '/v1 is no moved prefix: give both, as in /v1=/api/v1' })
})
