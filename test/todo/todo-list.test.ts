import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { generate } from '../../packages/generator/src/generate.ts'
import { newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { commandHere } from '../command-here.ts'
import { resultOf, run, scriptPath } from '../start-server.ts'
import { todoList } from './todo-list.ts'

const folder = 'test/todo'
const command = 'npx tap run --snapshot test/todo/todo-list.test.ts'

const modules = [
  'openapi.json',
  'compiled.js',
  'compiled.d.ts',
  'CHANGELOG.md',
  'operations.ts',
  'request-schemas.ts',
  'response-schemas.ts'
]

t.test(`the modules are those generated from the contract; ${command} generates them`, async t => {
  const files = await generate(`${folder}/openapi.yaml`)
  for (const name of modules) {
    const text =
      files.get(name)?.replace(/^\/\/ Generated .*/, `// Generated from openapi.yaml by \`${command}\`.`) ?? ''
    if (process.env.TAP_SNAPSHOT === '1') writeFileSync(`${folder}/generated/${name}`, text)
    t.equal(readFileSync(`${folder}/generated/${name}`, 'utf8'), text, name)
  }
})

const key = 'a secret of the tests, with more than 32 letters'.replaceAll(/\W/g, '-')
const headers = { 'x-todo-key': key }
const problem = (code: string) => `https://todo.example/problems/${code}`

const buildTodoList = async (t: Test) => {
  const store = await todoList.openStore({ path: ':memory:' })
  const app = await todoList.build({ store, apiKeys: [key] })
  t.teardown(async () => {
    await app.close()
    await store.close()
  })
  return app
}

t.test('it does what its contract says, with its own errors', async t => {
  const app = await buildTodoList(t)
  const add = (payload: object) => app.inject({ method: 'POST', url: '/api/todos', headers, payload })
  const list = async (query = '') => (await app.inject({ url: `/api/todos${query}`, headers })).json()
  const finish = (id: unknown) => app.inject({ method: 'PUT', url: `/api/todos/${id}/done`, headers })

  const milk = { id: 1, title: 'Buy milk', done: false }
  const added = await add({ title: 'Buy milk' })
  t.strictSame([added.statusCode, added.json()], [201, milk])
  t.strictSame(await list(), [milk])
  t.strictSame((await finish(1)).json(), { ...milk, done: true })
  t.strictSame([await list(), await list('?done=true')], [[], [{ ...milk, done: true }]])

  const missing = await finish(7)
  t.equal(missing.headers['content-type'], 'application/problem+json')
  t.strictSame(missing.json(), { type: problem('todo_not_found'), title: 'There is no todo 7.', status: 404 })
  for (let i = 0; i < 10; i++) t.equal((await add({ title: `Number ${i}` })).statusCode, 201)
  t.match((await add({ title: 'One more' })).json(), { type: problem('list_full'), status: 409 })
})

t.test('requests are checked against its contract, and need one of its keys', async t => {
  const app = await buildTodoList(t)
  for (const payload of [{}, { title: '' }, { title: 5 }, { title: 'a', done: true }])
    t.match((await app.inject({ method: 'POST', url: '/api/todos', headers, payload })).json(), {
      type: problem('invalid_request')
    })
  t.match((await app.inject({ url: '/api/todos?done=yes', headers })).json(), { type: problem('invalid_request') })
  t.match((await app.inject({ url: '/api/todos?don=true', headers })).json(), { type: problem('invalid_request') })
  const keyless = await app.inject('/api/todos')
  t.equal(keyless.statusCode, 401)
  t.equal(keyless.headers['www-authenticate'], 'ApiKey realm="todo-list", in="header", name="X-Todo-Key"')
  t.match(keyless.json(), { type: problem('credentials_missing'), title: /an API key in the header X-Todo-Key/ })
  const bearing = await app.inject({ url: '/api/todos', headers: { authorization: `Bearer ${key}` } })
  t.equal(bearing.statusCode, 401, 'not as a bearer token')
  t.equal((await app.inject({ url: '/openapi.yaml' })).payload, readFileSync(`${folder}/openapi.yaml`, 'utf8'))
})

t.test('its commands issue keys, serve, back up and restore', async t => {
  const cwd = t.testdir()
  const start = (...args: string[]) =>
    run(t, process.execPath, [scriptPath('test/todo/cli.ts'), ...args], {
      cwd,
      env: { NODE_ENV: 'production', PORT: '0', OPERATOR_PORT: '0' }
    })
  const issued = await resultOf(start('keys', 'issue', '--name', 'phone'))
  const key = issued.stdout.trim()
  t.match(key, /^todo_live_[0-9A-Za-z]{36}$/)
  const headers = { 'x-todo-key': key, 'content-type': 'application/json', connection: 'close' }

  const server = start('server')
  const [, origin] = await server.printed(/"service":"(http:[^"]*\/api)".*the Todo List is running/)
  const url = `${origin}/todos`
  const created = await fetch(url, { method: 'POST', headers, body: '{"title":"Back up"}' })
  t.equal(created.status, 201)
  t.match(await resultOf(start('backup', 'copy.db')), { code: 0, stdout: / {2}todos {5}1\n/ })
  t.equal((await fetch(url, { method: 'POST', headers, body: '{"title":"Lost"}' })).status, 201)
  await fetch(`${url}/${key}`)
  server.process.kill('SIGTERM')
  const { code, stdout } = await resultOf(server)
  t.equal(code, 0)
  t.match(stdout, 'todos/todo_live_…')
  t.notMatch(stdout, key.slice(10))

  t.match(await resultOf(start('restore', 'copy.db', '--replace')), { code: 0 })
  const path = join(cwd, 'todos.db')
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  t.match(db.prepare('SELECT id, title FROM todos').all(), [{ id: 1, title: 'Back up' }])

  // Their application ids distinguish their files.
  const animals = await commandHere(t, ['keys', 'list'], { cwd, env: { DATABASE_URL: `sqlite:${path}` } })
  t.match(animals, { code: 1, stderr: /todos\.db/ })
})

t.test('both services run in one process, each with its own contract, keys and data', async t => {
  const [todos, animals] = [await buildTodoList(t), await buildTestApp(t)]
  const [todosUrl, animalsUrl] = await Promise.all(
    [todos, animals].map(app => app.listen({ host: '127.0.0.1', port: 0 }))
  )
  const send = async (url: string, credential: Record<string, string>, body?: object) => {
    const response = await fetch(url, {
      headers: { ...credential, 'content-type': 'application/json', connection: 'close' },
      ...(body && { method: 'POST', body: JSON.stringify(body) })
    })
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate'),
      body: JSON.parse(await response.text())
    }
  }
  const [todo, pet] = await Promise.all([
    send(`${todosUrl}/api/todos`, headers, { title: 'Feed Rex' }),
    send(`${animalsUrl}/v1/pets`, withKey, newRex)
  ])
  t.match(
    [todo, pet],
    [
      { status: 201, body: { title: 'Feed Rex' } },
      { status: 201, body: newRex }
    ]
  )
  t.match(await send(`${todosUrl}/api/todos`, headers), { body: [{ title: 'Feed Rex' }] })
  t.match(await send(`${animalsUrl}/v1/pets`, withKey), { body: [newRex] })
  t.match(await send(`${todosUrl}/v1/pets`, headers), { status: 404 })

  const [, animalKey = ''] = withKey.authorization.split(' ')
  t.match(await send(`${todosUrl}/api/todos`, { 'x-todo-key': animalKey }), {
    status: 401,
    challenge: 'ApiKey realm="todo-list", in="header", name="X-Todo-Key"',
    body: { type: problem('credentials_invalid') }
  })
  t.match(await send(`${animalsUrl}/v1/pets`, { authorization: `Bearer ${key}` }), {
    status: 401,
    challenge: 'Bearer realm="animal-store", error="invalid_token"',
    body: { code: 'api_key_invalid' }
  })
  const { body } = await send(`${todosUrl}/api/${withKey.authorization.slice('Bearer '.length)}`, headers)
  t.equal(body.title, 'Nothing exists at /api/ast_live_….')
})
