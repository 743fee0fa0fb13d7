import { EventEmitter, on } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { newPage } from '../../../test/browser.ts'
import { environment, execute, folderWith } from '../../../test/installing.ts'
import { projectFolder } from '../../../test/start-server.ts'
import { ApiError, contractPlugin, pageOf, sse } from '../../fastify/src/index.ts'
import { derivedContract } from '../../fastify/test/derived-contract.ts'

// Exact, so that a new release breaks no test by chance.
const packages = {
  '@tanstack/react-query': '5.108.4',
  '@types/react': '19.3.3',
  '@types/react-dom': '19.3.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  vite: '8.3.8'
}

const source = join(projectFolder, 'test/react-app')

interface Note {
  id: bigint
  text: string
  amount: bigint
  state: 'open' | 'done'
}

/** Notes of two users, and what the service has received; a test may have it wait or fail. */
const notesService = () => {
  const texts = ['Milk', 'Bread', 'Eggs', 'Salt', 'Tea']
  const amount = 9007199254740993n
  const notes = new Map<unknown, Note[]>([
    ['ann', texts.map((text, i) => ({ id: BigInt(i + 1), text, amount, state: i === 1 ? 'done' : 'open' }))],
    ['bob', [{ id: 9n, text: 'Bolts', amount, state: 'open' }]]
  ])
  const changes = new EventEmitter()
  const received: string[] = []
  const keys: unknown[] = []
  const service = { notes, changes, received, keys, before: async () => {} }
  type Input = { principal: { id: string }; headers: Record<string, unknown>; signal: AbortSignal }
  const of = ({ principal }: Input) => notes.get(principal.id) as Note[]
  const handlers = {
    listNotes: async (input: Input & { query: { limit: number; state?: string; cursor?: string } }) => {
      const { query } = input
      input.signal.addEventListener('abort', () => received.push('aborted'))
      received.push(`list ${query.state ?? 'all'}${query.cursor === undefined ? '' : ' on'}`)
      await service.before()
      const isOn = ({ id, state }: Note, after: bigint) => id > after && (query.state ?? state) === state
      return pageOf(query, async ({ after, limit }) =>
        of(input)
          .filter(each => isOn(each, after))
          .slice(0, limit)
      )
    },
    addNote: async (input: Input & { body: { text: string; amount: bigint } }) => {
      keys.push(input.headers['Idempotency-Key'])
      await service.before()
      const note: Note = { id: BigInt(of(input).length + 10), ...input.body, state: 'open' }
      of(input).push(note)
      changes.emit('note', input.principal.id, note)
      return { status: 201, body: note }
    },
    watchNotes: async ({ signal, principal }: Input) => {
      const heard = async function* () {
        for await (const [owner, data] of on(changes, 'note', { signal })) if (owner === principal.id) yield { data }
      }
      return { status: 200, body: sse(heard() as never) }
    },
    changeNote: async (input: Input & { params: { noteId: bigint }; body: Pick<Note, 'state'> }) => {
      await service.before()
      const note = of(input).find(({ id }) => id === input.params.noteId)
      if (note === undefined) throw new ApiError(404, 'note_not_found', 'There is no such note.')
      return { status: 200, body: Object.assign(note, input.body) }
    }
  }
  const verifiers = {
    token: async (_scheme: string, { token }: { token: string }) => {
      const id = token.replace('key-of-', '')
      return notes.has(id) ? { id } : undefined
    }
  }
  return { service, handlers, verifiers }
}

/** The application, built, and its files by URL. */
const build = async (t: Test, files: ReadonlyMap<string, string>) => {
  const folder = folderWith({}, packages)
  cpSync(source, folder, { recursive: true })
  mkdirSync(join(folder, 'generated'))
  for (const [name, text] of files) writeFileSync(join(folder, 'generated', name), text)
  const tool = (path: string, ...args: string[]) => execute(environment(), folder, process.execPath, path, ...args)
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --target es2022 --lib es2023,dom,dom.iterable ' +
    '--module esnext --moduleResolution bundler --allowImportingTsExtensions --jsx react-jsx app.tsx'
  const compiled = await tool(join(projectFolder, 'node_modules/typescript/bin/tsc'), ...options.split(' '))
  t.strictSame([compiled.status, compiled.stdout], [0, ''], 'its types fit')
  const { status, output } = await tool('node_modules/vite/bin/vite.js', 'build')
  if (status !== 0) throw new Error(output)
  return (url: string) => readFileSync(join(folder, 'dist', url))
}

const serveFiles = (app: FastifyInstance, read: (url: string) => Buffer) => {
  app.get('/', (_request, reply) => reply.type('text/html').send(read('index.html')))
  app.get('/assets/:name', ({ url }, reply) => reply.type('text/javascript').send(read(url)))
}

t.test('an application with Vite, React and TanStack Query, in a browser', async t => {
  const { contract, files } = await derivedContract(t, readFileSync(join(source, 'openapi.yaml'), 'utf8'))
  const { service, handlers, verifiers } = notesService()
  const { received, keys } = service
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  serveFiles(app, await build(t, files))
  await app.register(contractPlugin, { contract, handlers: handlers as never, verifiers: verifiers as never })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })

  const page = await newPage(t)
  page.on('pageerror', error => t.fail(error.message))

  await page.goto(origin)
  const lines = page.getByRole('listitem')
  const box = (text: string) => page.getByRole('checkbox', { name: text })
  const shown = async (...texts: string[]) => {
    await lines.nth(texts.length - 1).waitFor()
    t.strictSame(
      (await lines.allTextContents()).map(each => each.trim()),
      texts.map(each => (each.includes(':') ? each : `${each}: 9007199254740993`))
    )
  }

  await shown('Milk', 'Bread', 'Eggs')
  const more = page.getByRole('button', { name: 'Load more' })
  await more.click()
  await shown('Milk', 'Bread', 'Eggs', 'Salt', 'Tea')
  t.equal(await more.count(), 0, 'the last page has no next one')

  // A filter that is replaced before its list has come ends the request.
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  service.before = () => held
  await page.getByLabel('Show').selectOption('open')
  while (received.at(-1) !== 'list open') await pause(10)
  service.before = async () => {}
  await page.getByLabel('Show').selectOption('done')
  await shown('Bread')
  while (!received.includes('aborted')) await pause(10)
  release()
  t.strictSame(received.toSorted(), ['aborted', 'list all', 'list all on', 'list done', 'list open'])

  // A change is shown before the service has it, and undone if it is refused.
  await page.getByLabel('Show').selectOption('all')
  const { promise: decided, resolve: decide } = Promise.withResolvers<void>()
  service.before = async () => {
    await decided
    throw new ApiError(409, 'locked', 'Somebody else has it.')
  }
  await box('Milk').click()
  await page
    .locator('li', { has: page.locator('input:checked') })
    .filter({ hasText: 'Milk' })
    .waitFor()
  t.equal(service.notes.get('ann')?.[0]?.state, 'open')
  decide()
  await page.getByRole('alert').filter({ hasText: 'Somebody else has it.' }).waitFor()
  t.equal(await box('Milk').isChecked(), false)
  service.before = async () => {}
  await box('Milk').click()
  while (service.notes.get('ann')?.[0]?.state !== 'done') await pause(10)

  // A form says what is wrong with each field; digits are sent as they were typed.
  const add = page.getByRole('button', { name: 'Add' })
  await add.click()
  t.strictSame(await page.locator('form').getByRole('alert').allTextContents(), [
    'Text is required',
    'Amount is required'
  ])
  await page.getByLabel('Text').fill('Rice')
  await page.getByLabel('Amount').fill('9007199254740995')
  // The first try fails, and the second is the same request.
  let tries = 0
  service.before = async () => {
    if (tries++ === 0) throw new ApiError(503, 'unavailable', 'Try again.', { 'Retry-After': '0' })
  }
  await add.click()
  while (service.notes.get('ann')?.length !== 6) await pause(10)
  t.equal(service.notes.get('ann')?.at(-1)?.amount, 9007199254740995n)
  t.equal(keys.length, 2)
  t.equal(keys[0], keys[1])

  // What is typed before the answer has come would be emptied with the form.
  await page.waitForFunction("document.forms[0].elements.namedItem('text').value === ''")

  // A try fails, and the network is gone: after a reload it is sent again, with the same key.
  await page.getByLabel('Text').fill('Oil')
  await page.getByLabel('Amount').fill('1')
  service.before = async () => {
    throw new ApiError(500, 'internal_error', 'Something went wrong.')
  }
  keys.length = 0
  await add.click()
  while (keys.length === 0) await pause(10)
  await page.evaluate("dispatchEvent(new Event('offline'))")
  await page.waitForFunction("localStorage.getItem('waiting key-of-ann').includes('\"isPaused\":true')")
  service.before = async () => {}
  await page.reload()
  while (service.notes.get('ann')?.at(-1)?.text !== 'Oil') await pause(10)
  t.equal(keys.length, 2)
  t.equal(keys[0], keys[1])
  await page.waitForFunction('localStorage.getItem(\'waiting key-of-ann\') === \'{"mutations":[],"queries":[]}\'')

  // Somebody else adds a note: an event tells of it.
  const pepper: Note = { id: 40n, text: 'Pepper', amount: 1n, state: 'open' }
  service.notes.get('ann')?.push(pepper)
  service.changes.emit('note', 'ann', pepper)
  await page.getByText('New: Pepper').waitFor()

  // Another key: nothing of the former user is left.
  await page.getByLabel('Key').fill('key-of-bob')
  await shown('Bolts')
  await page.getByLabel('Key').fill('nobody')
  await page.getByText('Please log in.').waitFor()
  t.equal(await lines.count(), 0)
})
