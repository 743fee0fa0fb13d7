import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { openDatabase } from '../packages/fastify/src/store/sqlite/database.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import { commandHere } from './command-here.ts'
import { preloaded } from './ending.ts'
import { type Running, run, type Server, scriptPath, sendRequest } from './start-server.ts'

export const { migrations } = animalSchema

export const command = (
  t: Test,
  script: string,
  cwd: string,
  words: string[],
  env: Record<string, string> = {}
): Running => run(t, process.execPath, [scriptPath('src/main.js'), script, ...words], { cwd, env })

/** Runs the command to its end, in this process. */
export const backup = (t: Test, cwd: string, words: string[], env: Record<string, string> = {}) =>
  commandHere(t, ['backup', ...words], { cwd, env })
export const restore = (t: Test, cwd: string, words: string[], env: Record<string, string> = {}) =>
  commandHere(t, ['restore', ...words], { cwd, env })

/** A new database in `data` below the folder, the service's default place. */
export const newDatabase = (cwd: string, animals: number): string => {
  const path = join(cwd, 'data', 'animals.db')
  const db = openDatabase(path, animalSchema)
  addAnimals(db, animals)
  db.close()
  return path
}

export const addAnimals = (db: DatabaseSync, animals: number) => {
  const insert = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, 1, 'sold')")
  db.exec('BEGIN')
  for (let i = 1; i <= animals; i++) insert.run(`Animal ${i}`)
  db.exec('COMMIT')
}

/** A signal that is never aborted. */
export const unheard = new AbortController().signal

export const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path, { timeout: 60_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

export const idsIn = (path: string) =>
  look(path, db => db.prepare('SELECT id FROM pets ORDER BY id').all()).map(row => Number(row.id))
export const fileDigestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

export const create = async (server: Server, key: string | undefined, name: string) => {
  const body = JSON.stringify({ name, categoryId: 1 })
  const { status, text } = await sendRequest(server, key, '/v1/pets', { method: 'POST', body })
  return { status, id: Number(JSON.parse(text).id) }
}

export const end = async (server: Server) => {
  server.process.kill('SIGTERM')
  await server.ended
}

/** Creates animals on this many connections until stopped; collects the id of each as it is acknowledged. */
export const createMany = (server: Server, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const acknowledged: number[] = []
  let isOver = false
  let wake = () => {}
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const createOne = () =>
    new Promise<void>((resolve, reject) => {
      const req = request(`${server.origin}/v1/pets`, { method: 'POST', agent, headers }, async res => {
        const body = await text(res)
        if (res.statusCode === 201) acknowledged.push(JSON.parse(body).id)
        else t.fail(`${res.statusCode} ${body}`)
        wake()
        resolve()
      })
      req.on('error', reject).end('{"name":"Rex","categoryId":1}')
    })
  const workers = Array.from({ length: connections }, async () => {
    while (!isOver) await createOne()
  })
  return {
    acknowledged,
    atLeast: async (count: number) => {
      while (acknowledged.length < count)
        await new Promise<void>(resolve => {
          wake = resolve
        })
    },
    stop: async () => {
      isOver = true
      await Promise.all(workers)
      agent.destroy()
    }
  }
}

/** What commands print about additional tables, which are empty in these tests. */
export const noOthers = Object.keys(animalSchema.counted)
  .filter(word => word !== 'animals')
  .map(word => `  ${word.padEnd(10)}0\n`)
  .join('')

// Older releases of Node.js have no such method, and leave databases open to this.
const openIndefensive = (path: string) => {
  const db: DatabaseSync & { enableDefensive?(isEnabled: boolean): void } = new DatabaseSync(path)
  db.enableDefensive?.(false)
  return db
}

/** Writes a copy of which only the index by status is damaged: it lacks a row. */
export const damageIndex = (path: string, copy: string) => {
  copyFileSync(path, copy)
  // A writable schema lets a row be added without its entry in the index.
  const db = openIndefensive(copy)
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON')
  const index = db.prepare("SELECT * FROM sqlite_schema WHERE name = 'pets_by_status'").get()
  db.exec("DELETE FROM sqlite_schema WHERE name = 'pets_by_status'")
  db.close()
  const without = openIndefensive(copy)
  addAnimals(without, 1)
  without.exec('PRAGMA writable_schema = ON')
  without
    .prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)')
    .run(...['type', 'name', 'tbl_name', 'rootpage', 'sql'].map(column => index?.[column] ?? null))
  without.close()
}

/** Adds this many animals of a megabyte each: the copy of four of them takes more than one step. */
export const addLarge = (db: DatabaseSync, animals: number) => {
  const insert = db.prepare(
    "INSERT INTO pets (name, category_id, status) VALUES (printf('%.*c', 1000000, 'x'), 1, 'sold')"
  )
  db.exec('BEGIN')
  for (let i = 0; i < animals; i++) insert.run()
  db.exec('COMMIT')
}

/** Starts the command, which gets the signal before the copy has begun, or once it is complete. */
export const startInterrupted = (
  t: Test,
  cwd: string,
  words: string[],
  { signal, copy }: { signal: NodeJS.Signals; copy: 'not begun' | 'complete' }
): Running => {
  const call = copy === 'complete' ? 'chmodSync' : 'statfsSync'
  const script = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { ${call}: original } = fs
    fs.${call} = (...args) => {
      process.kill(process.pid, '${signal}')
      return original(...args)
    }
    syncBuiltinESMExports()`
  return run(t, process.execPath, [...preloaded(script), scriptPath('src/main.js'), ...words], { cwd })
}
