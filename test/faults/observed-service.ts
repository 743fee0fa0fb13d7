import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { type RunOptions, type Server, scriptPath, startServer } from '../start-server.ts'
import type { Observation } from './observer.ts'

export interface Observed extends Server {
  observe(): Promise<Observation>
  /** Crashes V8. */
  crash(): void
  /** Sets the clock of the service, in milliseconds since 1970; it continues from there. */
  setClock(time: number): Promise<void>
}

// The memory limits of `npm start`.
const bounds = packageJson.scripts.start.match(/--max\S+/g) ?? []
const args = [...bounds, '--expose-gc', '--allow-natives-syntax', '--import', scriptPath('test/faults/observer.ts')]

/** The service in its own process, which can be observed. `inside` may wrap Node's command in another. */
export const startObserved = async (
  t: Test,
  { inside, ...options }: RunOptions & { inside?: (command: string[]) => string[] }
): Promise<Observed> => {
  const env = { LOG_LEVEL: 'error', ...options.env }
  const [command = '', ...rest] = inside?.([process.execPath, ...args, scriptPath('src/main.js'), 'server']) ?? []
  const server = await startServer(t, {
    ...options,
    env,
    ...(inside ? { command, args: rest } : { args })
  })
  let sent = 0
  const perform = async (command: string): Promise<unknown> => {
    const number = ++sent
    server.process.stdin.write(`${number} ${command}\n`)
    const [, result = ''] = await server.printed(new RegExp(`^done ${number} (.*)\n`, 'm'))
    return JSON.parse(result)
  }
  return {
    ...server,
    observe: () => perform('observe') as Promise<Observation>,
    crash: () => void perform('crash').catch(() => {}),
    setClock: async time => void (await perform(`setClock ${time}`))
  }
}

/** Whether the service was overloaded because the machine has other work; these tests ignore that. */
export const isOverload = (text: string | Buffer): boolean => text.includes('The service is overloaded; try again.')

export interface CallResponse {
  status: number
  headers: Headers
  text: string
}

/** Sends a GET to a path of the contract, or with a body a POST. */
export const call = async ({ origin, key }: Server, path: string, body?: object): Promise<CallResponse> => {
  for (;;) {
    const response = await fetch(`${origin}/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!isOverload(text)) return { status: response.status, headers: response.headers, text }
    await delay(500)
  }
}

export interface StoredPet {
  id: number
  name: string
  categoryId: number
  status: string
}

/** All animals of a service, page by page. */
export const allPets = async (service: Server): Promise<StoredPet[]> => {
  const pets: StoredPet[] = []
  let query: string | undefined = '?limit=100'
  while (query !== undefined) {
    const { status, headers, text } = await call(service, `/pets${query}`)
    if (status !== 200) throw new Error(text)
    pets.push(...(JSON.parse(text) as StoredPet[]))
    query = /^<(\?[^>]*)>/.exec(headers.get('link') ?? '')?.[1]
  }
  return pets
}
