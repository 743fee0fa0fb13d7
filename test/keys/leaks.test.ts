import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { isApiKey, newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { animalStore } from '../../src/animal-store.ts'
import { startServer } from '../start-server.ts'
import { issued, keys } from './commands.ts'

t.test('nothing that the service writes contains a key, wherever a client sends one', async t => {
  const cwd = t.testdir()
  const configured = newApiKey(animalStore.keyPrefix)
  const env = { LOG_LEVEL: 'trace', API_KEYS: configured }
  const good = await issued(t, cwd, '--name', 'web')
  const revoked = await issued(t, cwd, '--name', 'lost')
  const expired = await issued(t, cwd, '--name', 'old')
  const unknown = newApiKey(animalStore.keyPrefix)
  const mistyped = unknown.slice(0, 20) + (unknown[20] === 'a' ? 'b' : 'a') + unknown.slice(21)
  const server = await startServer(t, { cwd, env })
  const commands = [
    await keys(t, cwd, ['revoke', revoked.id]),
    await keys(t, cwd, ['rotate', expired.id, '--grace', '0']),
    await keys(t, cwd, ['list']),
    await keys(t, cwd, ['list', '--json'])
  ]
  const rotated = commands[1]?.stdout.trimEnd() ?? ''
  t.ok(isApiKey(rotated))
  // This command prints the key on purpose.
  Object.assign(commands[1] ?? {}, { stdout: '' })

  /** Everything received on a new connection. */
  const exchange = async (lines: string[], body = '') => {
    const socket = connect({ host: '127.0.0.1', port: server.port })
    socket.on('error', () => {})
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
    socket.end([...lines, ...length, 'Connection: close', '', body].join('\r\n'))
    return text(socket)
  }
  const all = [good.key, revoked.key, expired.key, rotated, configured, unknown, mistyped]
  const responses: string[] = []
  for (const key of all) {
    const bearer = `Authorization: Bearer ${key}`
    const json = 'Content-Type: application/json'
    const host = 'Host: 127.0.0.1'
    for (const path of [
      '/v1/pets',
      '/v1/pets/1',
      '/v1/pets/x',
      '/v1/store/orders',
      '/v1/dogs',
      '/v1/%ff',
      '/',
      '/docs/'
    ])
      responses.push(await exchange([`GET ${path} HTTP/1.1`, host, bearer]))
    for (const query of [`access_token=${key}`, `${key}=1`, `limit=${key}`, `status=${key}`, `cursor=${key}`, key]) {
      responses.push(await exchange([`GET /v1/pets?${query} HTTP/1.1`, host, bearer]))
      responses.push(await exchange([`GET /v1/pets?${query} HTTP/1.1`, host, `Authorization: Bearer ${configured}`]))
      responses.push(await exchange([`GET /?${query} HTTP/1.1`, host]))
      responses.push(await exchange([`GET /docs/?${query} HTTP/1.1`, host]))
    }
    for (const path of [`/v1/pets/${key}`, `/v1/${key}`, `/${key}`, `/v1/%ff${key}`])
      responses.push(await exchange([`GET ${path} HTTP/1.1`, host, `Authorization: Bearer ${configured}`]))
    for (const field of [
      `Authorization: Basic ${key}`,
      `Authorization: ${key}`,
      `Authorization: Bearer ${key} ${key}`,
      `Authorization: Bearer${key}`,
      `X-API-Key: ${key}`,
      `X-Request-Id: ${key}`,
      `Traceparent: ${key}`,
      `Cookie: key=${key}`,
      `${key}: 1`,
      `Host: ${key}`,
      `Expect: ${key}`,
      `Content-Type: ${key}`,
      `Bad Field ${key}`,
      `Transfer-Encoding: ${key}`
    ])
      responses.push(await exchange(['POST /v1/pets HTTP/1.1', host, field]))
    for (const body of [
      key,
      `{"${key}`,
      `{"${key}": 1}`,
      `{"name": 1, "categoryId": "${key}"}`,
      `{"name": "Rex", "categoryId": 1, "status": "${key}"}`,
      `{"name": "Rex", "categoryId": 1, "apiKey": "${key}"}`,
      `{"name": "${key}", "categoryId": ${key}}`
    ])
      responses.push(
        await exchange(['POST /v1/pets HTTP/1.1', host, `Authorization: Bearer ${configured}`, json], body),
        await exchange(['POST /v1/pets HTTP/1.1', host, bearer, `Content-Type: ${key}`], body)
      )
    for (const line of [
      `${key} /v1/pets HTTP/1.1`,
      `GET ${key} HTTP/1.1`,
      `GET /v1/pets ${key}`,
      `GET /v1/${key} HTTP/2.0`
    ])
      responses.push(await exchange([line, host, bearer]))
  }
  t.ok(
    responses.every(each => /^HTTP\/1\.1 [2345]/.test(each)),
    'each of them got a response'
  )
  for (const status of [200, 400, 401, 404, 415, 417])
    t.ok(
      responses.some(each => each.startsWith(`HTTP/1.1 ${status} `)),
      `some with ${status}`
    )
  const [, operators = ''] = await server.printed(/"operators":"(http:[^"]+)"/)
  const pages: string[] = []
  for (const page of ['metrics', 'livez', 'readyz', good.key, `metrics?${good.key}`]) {
    const headers = { authorization: `Bearer ${good.key}`, 'x-request-id': good.key }
    const response = await fetch(`${operators}/${page}`, { headers })
    pages.push(JSON.stringify([...response.headers]), await response.text())
  }
  t.match(pages.join('\n'), good.id, 'the id is logged')

  const folder = join(cwd, 'data')
  const files = () => readdirSync(folder).map(name => readFileSync(join(folder, name), 'latin1'))
  const whileRunning = files()
  t.equal(whileRunning.length, 3, 'the database, its log and its index')
  server.process.kill('SIGTERM')
  t.equal((await server.ended).code, 0)

  const everything = {
    stdout: server.output().stdout,
    stderr: server.output().stderr,
    responses: responses.join('\n'),
    pages: pages.join('\n'),
    files: [...whileRunning, ...files()].join('\n'),
    commands: JSON.stringify([commands, good.stderr, revoked.stderr, expired.stderr])
  }
  for (const key of all) {
    const random = key.slice('ast_live_'.length)
    for (const [where, written] of Object.entries(everything)) {
      // Each half as well, in case something was cut off.
      for (const part of [random.slice(0, 18), random.slice(18)])
        if (written.includes(part))
          t.fail(`${where}: ${written.slice(Math.max(0, written.indexOf(part) - 300)).slice(0, 600)}`)
    }
  }
})
