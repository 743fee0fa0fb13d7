import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { animals } from './contract-command.ts'

interface Step {
  uses?: string
  shell?: string
  env?: Record<string, string>
  run?: string
}
interface Action {
  inputs: Record<string, { default: string }>
  runs: { steps: Step[] }
}

const folder = resolve('packages/check')
const action: Action = parse(readFileSync(join(folder, 'action.yml'), 'utf8'))
const path = `${dirname(process.execPath)}:${process.env.PATH}`
const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'protocol.file.allow=always']

/** A pull request as GitHub checks it out: a clone with a single commit of a branch; `main` in the cloned repository has another. */
const pullRequest = (t: Test, before: string, after: string, name = 'openapi.yaml', later = name) => {
  const origin = t.testdir({ origin: { [dirname(name)]: {} }, temp: {} })
  const git = (cwd: string, ...args: string[]) => {
    const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  const [theirs, clone] = [join(origin, 'origin'), join(origin, 'clone')]
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(theirs, name)), { recursive: true })
    writeFileSync(join(theirs, name), text)
  }
  git(theirs, 'init', '--quiet', '--initial-branch', 'main')
  for (const [branch, text] of Object.entries({ main: before, change: after })) {
    if (branch !== 'main') git(theirs, 'checkout', '--quiet', '-b', branch)
    rmSync(join(theirs, name), { force: true })
    write(branch === 'main' ? name : later, text)
    git(theirs, 'add', '.')
    git(theirs, 'commit', '--quiet', '--allow-empty', '--message', branch)
  }
  git(theirs, 'checkout', '--quiet', 'main')
  git(origin, 'clone', '--quiet', '--depth=1', '--branch', 'change', `file://${theirs}`, 'clone')
  const temp = join(origin, 'temp')
  return { clone, temp, read: (file: string) => readFileSync(join(temp, file), 'utf8') }
}

/** Runs the action's own script, with these inputs. */
const runAction = (
  { clone, temp }: { clone: string; temp: string },
  inputs: Record<string, string> = {},
  base = 'main'
) => {
  const resolved = (text: string) =>
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => inputs[name] ?? action.inputs[name]?.default ?? '')
  for (const file of ['summary', 'output']) writeFileSync(join(temp, file), '')
  const [step, ...others] = action.runs.steps.filter(({ run }) => run !== undefined)
  if (step === undefined || others.length > 0) throw new Error('The action does not run one script.')
  const { env = {}, run = '', shell } = step
  // As GitHub runs `shell: bash`.
  return spawnSync(String(shell), ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd: clone,
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
    env: {
      PATH: path,
      GITHUB_ACTION_PATH: folder,
      GITHUB_BASE_REF: base,
      GITHUB_STEP_SUMMARY: join(temp, 'summary'),
      GITHUB_OUTPUT: join(temp, 'output'),
      RUNNER_TEMP: temp,
      ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, resolved(text)]))
    }
  })
}

t.test('action: a breaking pull request is annotated at its line, summarized, and fails', async t => {
  const request = pullRequest(t, animals(), animals({ maximum: 50 }))
  const { status, stdout, stderr } = runAction(request)
  t.equal(status, 1, stderr)
  t.match(
    stdout,
    /^::error file=openapi\.yaml,line=13,col=13,title=request-maximum-narrowed::GET \/pets query parameter limit: /
  )
  t.match(request.read('summary'), /^### Breaking\n\n- \*\*GET \/pets query parameter limit\*\*: maximum 100 became/m)
  const [, changelog = ''] = /^changelog=(.+)$/m.exec(request.read('output')) ?? []
  t.equal(readFileSync(changelog, 'utf8'), request.read('summary'))
})

t.test('action: a compatible pull request passes, as does what --fail-on does not name', async t => {
  const described = pullRequest(t, animals(), animals().replace('All', 'All of them'))
  t.match(runAction(described), { status: 0, stdout: /^changes: nothing that clients see has changed; / })
  t.match(described.read('summary'), /nothing that clients see has changed/)
  const broken = pullRequest(t, animals(), animals({ maximum: 50 }), 'api/animals.yaml')
  t.match(runAction(broken, { contract: 'api/animals.yaml', 'fail-on': 'none' }), {
    status: 0,
    stdout: /^::error file=api\/animals\.yaml,line=13,/
  })
})

t.test(
  'action: a contract that has moved is compared with what `against` names in the base, though the checkout has no base',
  async t => {
    const request = pullRequest(t, animals(), animals({ maximum: 50 }), 'openapi.yaml', 'api.yaml')
    const missing = 'there is no such file in origin/main; if it was elsewhere, --against origin/main:PATH names it'
    t.match(runAction(request, { contract: 'api.yaml' }), { status: 3, stderr: missing })
    t.match(runAction(request, { contract: 'api.yaml' }, 'gone'), { status: 3, stderr: 'no revision origin/gone here' })
    t.match(runAction(request, { contract: 'api.yaml', against: 'origin/main:openapi.yaml' }), {
      status: 1,
      stdout: /^::error file=api\.yaml,line=13,/
    })
  }
)

t.test('action: a summary longer than GitHub takes is cut', async t => {
  const contract = (maximum: number) => {
    const operation = {
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum } }],
      responses: {}
    }
    const names = Array.from({ length: 300 }, (_, index) => `/${index}${'a'.repeat(4_000)}`)
    const paths = Object.fromEntries(names.map(name => [name, { get: operation }]))
    return JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1.0.0' }, paths })
  }
  const request = pullRequest(t, contract(100), contract(50), 'openapi.json')
  t.equal(runAction(request).status, 1)
  const summary = request.read('summary')
  t.ok(summary.length < 2 ** 20, `${summary.length}`)
  t.match(summary, /\n\nThe rest is too long to be shown here\.\n$/)
})

t.test('action: what cannot be compared is told, and ends with its own code', async t => {
  const request = pullRequest(t, animals(), 'openapi: 3.1.0\npaths: [')
  t.match(runAction(request), { status: 3, stderr: /openapi\.yaml:2:/ })
  t.equal(request.read('summary'), '')
  t.match(runAction(request, { 'fail-on': 'all' }), { status: 2, stderr: /all is not a level/ })
  t.match(runAction(request, { strict: 'yes' }), {
    status: 2,
    stdout: '::error::strict must be true or false, not yes'
  })
})

t.test('pre-commit: its hook runs the check of a commit against the default branch', async t => {
  const [hook] = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8'))
  for (const file of ['openapi/petstore.yaml', 'api/schemas/pet.json']) t.match(file, new RegExp(hook.files))
  const { clone } = pullRequest(t, animals(), animals())
  const git = (...args: string[]) => spawnSync('git', [...identity, ...args], { cwd: clone })
  git('fetch', '--quiet', 'origin', 'main:refs/remotes/origin/HEAD')
  const run = () => spawnSync(resolve(hook.entry), hook.args, { cwd: clone, encoding: 'utf8', env: { PATH: path } })
  t.match(run(), { status: 0, stdout: /the interface has not changed/ })
  writeFileSync(join(clone, 'openapi.yaml'), animals({ maximum: 50 }))
  t.match(run(), { status: 1, stdout: /BREAKING +query parameter limit/ })
})

t.test('pre-commit: the hook of a worktree finds a contract in a folder', async t => {
  const { clone } = pullRequest(t, animals(), animals(), 'api/openapi.yaml')
  const tree = join(clone, 'tree')
  const git = (cwd: string, ...args: string[]) => spawnSync('git', [...identity, ...args], { cwd, encoding: 'utf8' })
  git(clone, 'worktree', 'add', '--quiet', tree)
  const command = `exec "${resolve('packages/check/run.sh')}" check changes --contract api/openapi.yaml --against HEAD`
  writeFileSync(join(clone, '.git/hooks/pre-commit'), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  writeFileSync(join(tree, 'api/openapi.yaml'), animals({ maximum: 50 }))
  t.match(git(tree, 'commit', '--all', '--message=x'), { status: 1, stderr: /BREAKING +query parameter limit/ })
})
