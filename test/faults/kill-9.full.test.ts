import { once } from 'node:events'
import { Agent, type RequestOptions, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { extent } from '../extent.ts'
import { allPets, isOverload, type Observed, startObserved } from './observed-service.ts'

const parallel = 16

/** The body of the response to a create, or `undefined` if there was no response. */
const create = (
  { port, key }: Observed,
  agent: Agent,
  name: string,
  { headers: further, ...more }: RequestOptions = {}
) =>
  new Promise<string | undefined>(resolve => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...further }
    const req = request({ port, path: '/v1/pets', method: 'POST', agent, headers, ...more }, res => {
      text(res).then(
        body => resolve(isOverload(body) ? 'overload' : body),
        () => resolve(undefined)
      )
    })
    req.on('error', () => resolve(undefined))
    req.end(JSON.stringify({ name, categoryId: name.length, status: 'pending' }))
  })

const rounds = extent(3, 20)

t.test(
  `kill -9 under a load of creates, ${rounds} times: every acknowledged animal is stored exactly once, unchanged`,
  async t => {
    const cwd = t.testdir()
    const acknowledged = new Map<number, string>()
    const wrong: string[] = []
    let key: string | undefined

    for (let round = 1; round <= rounds; round++) {
      const started = await startObserved(t, { cwd, env: { LOG_LEVEL: 'fatal' } })
      key ??= started.key
      const service = { ...started, key }
      const agent = new Agent({ keepAlive: true, maxSockets: parallel })
      const before = acknowledged.size
      const until = before + 100 + Math.floor(Math.random() * 400)
      const work = async (worker: number) => {
        for (let i = 0; ; i++) {
          const name = `${round}/${worker}/${i} 🐈`
          const body = await create(service, agent, name)
          if (body === undefined) return
          if (body === 'overload') continue
          const pet = JSON.parse(body)
          if (pet.name !== name || acknowledged.has(pet.id)) wrong.push(`${name} got ${body}`)
          acknowledged.set(pet.id, body)
          if (acknowledged.size >= until) service.process.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: parallel }, (_, worker) => work(worker)))
      agent.destroy()
      t.strictSame(
        await service.ended,
        { code: null, signal: 'SIGKILL' },
        service.output().stderr || 'it was still running'
      )
      t.comment(`round ${round}: ${acknowledged.size - before} acknowledged`)
    }

    const service = { ...(await startObserved(t, { cwd })), key }
    const found = await allPets(service)
    const stored = new Map(found.map(pet => [pet.id, JSON.stringify(pet)]))
    for (const [id, body] of acknowledged) if (stored.get(id) !== body) wrong.push(`${body} became ${stored.get(id)}`)
    const names = new Set<string>()
    for (const { name } of found) {
      if (names.has(name)) wrong.push(`${name} is stored twice`)
      names.add(name)
    }
    t.comment(`${acknowledged.size} acknowledged, ${found.length} found`)
    t.strictSame(wrong.slice(0, 10), [], `of ${wrong.length} wrong`)
    t.ok(found.length - acknowledged.size <= rounds * parallel, 'besides them at most those whose response was lost')

    service.process.kill('SIGTERM')
    await once(service.process, 'exit')
    const db = new DatabaseSync(join(cwd, 'data', 'animals.db'))
    t.teardown(() => db.close())
    t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  }
)

t.test(
  `kill -9 under creates with idempotency keys that are repeated until they get a response, ${rounds} times: each adds exactly one animal`,
  async t => {
    const cwd = t.testdir()
    let service = await startObserved(t, { cwd, env: { LOG_LEVEL: 'fatal' } })
    const { key } = service
    const agent = new Agent({ keepAlive: true, maxSockets: parallel })
    t.teardown(() => {
      isEnding = isOver = true
      agent.destroy()
    })
    const acknowledged = new Map<string, string>()
    const wrong: string[] = []
    let isEnding = false
    let isOver = false
    let sent = 0

    const createOnce = async (name: string): Promise<string> => {
      while (!isOver) {
        sent++
        // Some clients give up, possibly after the animal has been added.
        const signal = Math.random() < 0.1 ? AbortSignal.timeout(Math.floor(Math.random() * 10)) : undefined
        const body = await create({ ...service, key }, agent, name, { signal, headers: { 'idempotency-key': name } })
        if (body !== undefined && body !== 'overload' && !body.includes('request_in_progress')) return body
        await delay(5)
      }
      return '{}'
    }
    const work = async (worker: number) => {
      for (let i = 0; !isEnding; i++) {
        const name = `${worker}/${i}`
        const body = await createOnce(name)
        acknowledged.set(name, body)
        if (JSON.parse(body).name !== name) wrong.push(`${name} got ${body}`)
        if (i % 10 > 0) continue
        const again = await createOnce(name)
        if (again !== body) wrong.push(`${name} got ${body}, then ${again}`)
      }
    }
    const workers = Promise.all(Array.from({ length: parallel }, (_, worker) => work(worker)))
    for (let round = 1; round <= rounds; round++) {
      const until = acknowledged.size + 100 + Math.floor(Math.random() * 400)
      while (acknowledged.size < until) await delay(1)
      service.process.kill('SIGKILL')
      await service.ended
      service = await startObserved(t, { cwd, env: { LOG_LEVEL: 'fatal' } })
    }
    isEnding = true
    await workers

    const found = await allPets({ ...service, key })
    t.comment(`${acknowledged.size} acknowledged, ${found.length} found, ${sent} requests`)
    t.equal(found.length, acknowledged.size, 'no animal is stored without a response')
    for (const pet of found)
      if (acknowledged.get(pet.name) !== JSON.stringify(pet))
        wrong.push(`${acknowledged.get(pet.name)} became ${pet.id}`)
    t.strictSame(wrong.slice(0, 10), [], `of ${wrong.length} wrong`)
  }
)
