import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, unlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { childEnvironment as env } from '../../../test/start-server.ts'
import { animals, folderWith } from './contract-command.ts'

t.test('contract: the configuration may be TypeScript, JavaScript or JSON', async t => {
  for (const name of ['contract.config.ts', 'contract.config.js', 'contract.config.json']) {
    await t.test(name, async t => {
      const settings = JSON.stringify({ contract: 'animals.yaml', releases: 'published', failOn: 'none' })
      const { changes, contract, read } = folderWith(t, {
        'package.json': '{ "type": "module" }',
        [name]: name.endsWith('.json') ? settings : `export const config = ${settings}`,
        'animals.yaml': animals()
      })
      t.match(await contract('release', '--today', '2026-11-20'), { status: 0 })
      t.equal(read('published/1.0.0.yaml'), animals())
      t.match(await changes('--contract', 'animals.yaml'), { status: 0 })
    })
  }
})

t.test('contract: the configuration may be an ES module, whatever the type of the package, or CommonJS', async t => {
  const config = (language: string) => `import { join } from 'node:path'
export const config = { contract: join('openapi.yaml'), generated: async () => (await import('./files.${language}')).files }`
  const files = {
    'contract.config.ts': config('ts'),
    'files.ts': 'export const files: string[] = []',
    'contract.config.js': config('js'),
    'files.js': 'export const files = []',
    'common.js': '/** import */ exports.config = { generated: () => [] }'
  }
  const names = ['contract.config.ts', 'contract.config.js', 'common.js']
  // In a process of their own, to see warnings on its stderr.
  const program = `import { contract } from ${JSON.stringify(import.meta.resolve('../src/contract.ts'))}
    for (const name of ${JSON.stringify(names)})
      console.log(name, await contract(['check', 'generated', '--config', name]))`
  for (const type of ['{}', '{ "type": "commonjs" }']) {
    const { folder } = folderWith(t, { 'openapi.yaml': animals(), 'package.json': type, ...files })
    const args = ['--input-type=module', '--eval', program]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env })
    const upToDate = names.map(name => `generated: up to date\n${name} 0\n`).join('')
    t.strictSame({ status, stdout, stderr }, { status: 0, stdout: upToDate, stderr: '' }, type)
  }
})

t.test('contract: a syntax error in the configuration is told in one line, with its place', async t => {
  for (const [index, type] of ['{}', '{ "type": "commonjs" }', '{ "type": "module" }'].entries())
    for (const language of ['ts', 'js']) {
      const name = `${index}.${language}`
      const { contract } = folderWith(t, { 'package.json': type, [name]: 'export const config = {\n  failOn: ,\n}' })
      const stderr = `${name}: Expression expected (${name}:2)\n`
      t.match(await contract('check', '--config', name), { status: 3, stderr })
    }
})

t.test('contract: paths in a configuration are relative to its folder', async t => {
  const { contract, read } = folderWith(t, {
    'api/contract.json': '{ "contract": "animals.yaml", "releases": "../published" }',
    'api/animals.yaml': animals()
  })
  t.match(await contract('release', '--config', 'api/contract.json', '--today', '2026-11-20'), {
    status: 0,
    stdout: /^changes: .* compare api\/animals\.yaml with: [\s\S]*Released: published\/1\.0\.0\.yaml\n$/
  })
  t.equal(read('published/1.0.0.yaml'), animals())
})

t.test('contract: a file that cannot be read exits with 3 and one line', async t => {
  const { contract, write } = folderWith(t, {
    'openapi.yaml': animals(),
    'old.yaml': animals(),
    'broken.json': '{',
    'broken.js': 'throw new Error("no luck")',
    'folder/file': ''
  })
  for (const [settings, says] of [
    ['none.json', 'none.json: there is no such file'],
    ['folder', 'folder: this is a folder, not a file'],
    ['broken.json', 'broken.json:1:2: this JSON cannot be read: '],
    ['broken.js', 'broken.js: no luck (broken.js:1:7)\n'],
    [{ approvals: 'folder' }, 'changes: folder: this is a folder, not a file'],
    [{ releases: 'openapi.yaml' }, 'changes: openapi.yaml: the releases must be a folder'],
    [{ contract: 'folder' }, 'changes: folder: this is a folder, not a file']
  ] as const) {
    if (typeof settings !== 'string') write('config.json', JSON.stringify(settings))
    const config = typeof settings === 'string' ? settings : 'config.json'
    const { status, stdout, stderr } = await contract('check', 'changes', '--against', 'old.yaml', '--config', config)
    t.strictSame({ status, stdout, lines: stderr.split('\n').length }, { status: 3, stdout: '', lines: 2 }, config)
    t.ok(stderr.startsWith(says), stderr)
  }
  write('config.json', '\ufeff{ "failOn": "none" }')
  t.match(await contract('check', 'changes', '--against', 'old.yaml', '--config', 'config.json'), { status: 0 })
})

t.test('contract: a configuration that is a link to nothing is not ignored', async t => {
  const { changes, folder } = folderWith(t, { 'openapi.yaml': animals(), 'old.yaml': animals() })
  const link = join(folder, 'contract.config.json')
  for (const [target, reason] of [
    ['none.json', 'this symbolic link leads to no file'],
    ['contract.config.json', 'its symbolic links lead to each other']
  ] as const) {
    symlinkSync(target, link)
    const { status, stdout, stderr } = await changes('--against', 'old.yaml')
    t.strictSame({ status, stdout, stderr }, { status: 3, stdout: '', stderr: `contract.config.json: ${reason}\n` })
    // Not rmSync: in Node.js 24.11, it leaves a link to nothing in place.
    unlinkSync(link)
  }
})

t.test('contract check: where a function of the configuration fails, one line says which, why and where', async t => {
  const { contract, write } = folderWith(t, { 'openapi.yaml': animals(), 'package.json': '{ "type": "module" }' })
  const later = "generated: () => { setTimeout(() => { throw 'later' }); return new Promise(() => {}) }"
  const failures = [
    ["generated: () => { throw new Error('no luck') }", '`generated` of 0.js: no luck (0.js:1:50)'],
    ['generated: () => [].first.name', /^`generated` of 1\.js: Cannot read .+ \(1\.js:1:51\)$/],
    ['generated: () => Promise.reject(null)', '`generated` of 2.js: null'],
    [later, '`generated` of 3.js: later'],
    ['generated: () => ({})', '`generated` of 4.js does not return a list of texts'],
    ['routes: () => [{ path: "/" }]', '`routes` of 5.js does not return { routes } as `ContractConfig` describes them']
  ] as const
  for (const [index, [config, says]] of failures.entries()) {
    const [question = ''] = config.split(':')
    write(`${index}.js`, `export const config = { ${config} }`)
    const { status, stdout, stderr } = await contract('check', question, '--config', `${index}.js`)
    t.strictSame({ status, stdout }, { status: 3, stdout: '' }, config)
    t.match(stderr.trimEnd().replace(`${question}: `, ''), says)
  }
})

t.test('contract check: a configuration that ends the process or never ends passes for nothing', async t => {
  const { folder, write } = folderWith(t, { 'openapi.yaml': animals(), 'package.json': '{ "type": "module" }' })
  const file = resolve('packages/check/bin/contract.js')
  const run = (text: string) => {
    write('contract.config.js', text)
    const options = { cwd: folder, encoding: 'utf8', env, timeout: 60_000 } as const
    return spawnSync(process.execPath, [file, 'check', 'generated'], options)
  }
  const ended = 'ended the process, or waits for something that never happens\n'
  for (const end of ['process.exit(0)', 'new Promise(() => {})']) {
    const stderr = `\`generated\` of contract.config.js ${ended}`
    t.match(run(`export const config = { generated: () => ${end} }`), { status: 3, stdout: '', stderr })
    t.match(run(`await ${end}`), { status: 3, stdout: '', stderr: `contract.config.js ${ended}` })
  }
  const open = 'export const config = { generated: () => { setInterval(() => {}, 1000); return [] } }'
  t.match(run(open), { status: 0, stdout: 'generated: up to date\n' })
})

t.test('contract: an invalid configuration exits with 2', async t => {
  for (const [name, text, says] of [
    ['contract.config.json', '[]', 'contract.config.json: the config is not an object'],
    ['contract.config.json', 'null', 'contract.config.json: the config is not an object'],
    ['contract.config.json', '{ "contracts": "x" }', /unknown setting contracts; the settings are contract, releases/],
    ['contract.config.json', '{ "contract": 1 }', 'contract.config.json: contract must be a string'],
    ['contract.config.json', '{ "failOn": "all" }', 'contract.config.json: failOn: all is not a level; choose'],
    ['contract.config.json', '{ "passUnusedDays": 0.5 }', 'passUnusedDays: --pass-unused-days must be a whole number'],
    ['contract.config.json', '{ "policy": "x=breaking" }', 'policy: x is not a policy or a rule of `contract rules`'],
    ['contract.config.js', 'export const config = { policy: "defaults" }', '.js: policy: defaults needs'],
    ['contract.config.ts', 'export default {}', 'contract.config.ts exports no config']
  ] as const) {
    await t.test(text, async t => {
      const { contract } = folderWith(t, { 'openapi.yaml': animals(), [name]: text })
      t.match(await contract('check'), { status: 2, stdout: /^$/, stderr: says })
    })
  }
})

t.test('contract: without a configuration, the only contract is used', async t => {
  const { changes, write, folder } = folderWith(t)
  t.match(await changes(), { status: 2, stderr: 'There is no contract here: name it with --contract FILE.' })
  write('openapi/a.yaml', animals())
  write('openapi/approvals.yaml', '[]')
  write('old.yaml', animals())
  t.match(await changes('--against', 'old.yaml'), { status: 0, stdout: /^openapi\/a\.yaml,/ })
  write('openapi/b.yaml', animals())
  t.match(await changes(), {
    status: 2,
    stderr: 'There are several contracts: name one with --contract FILE, openapi/a.yaml or openapi/b.yaml.'
  })
  write('openapi.json', JSON.stringify({ openapi: '3.0.3', info: { title: 'A', version: '1' }, paths: {} }))
  t.match(await changes('--against', 'old.yaml'), { status: 1, stdout: /^openapi\.json,/ })
  t.notOk(existsSync(join(folder, 'openapi/releases')), 'nothing is written')
})
