// An application as a team may write it with the generated client: packages/generator/test/react-app.full.test.ts builds it with Vite,
// and uses it in a browser.
import {
  dehydrate,
  hydrate,
  type InfiniteData,
  QueryClient,
  QueryClientProvider,
  useInfiniteQuery,
  useMutation,
  useQueryClient
} from '@tanstack/react-query'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { addNote, ClientError, changeNote, connect, isErrorOf, listNotes, watchNotes } from './generated/client-calls.ts'
import { type CachedPage, infiniteQueryOptions, mutationOptions } from './generated/client-query.ts'
import { readItems } from './generated/client-streams.ts'
import type { components } from './generated/string.ts'
import { addNoteBody } from './generated/validators.ts'

// Amounts may have more digits than a number: as texts they are shown and sent as they are.
type Note = components['schemas']['Note']
type State = Note['state']
type Pages = InfiniteData<CachedPage<Note[], unknown>>

const connectionWith = (token: string) => connect({ baseUrl: `${location.origin}/v1`, token, int64: 'string' })
type Connection = ReturnType<typeof connectionWith>

const App = () => {
  const [token, setToken] = useState('key-of-ann')
  // What one user has loaded is not for the next one.
  const [connection, queries] = useMemo(() => {
    const connection = connectionWith(token)
    return [connection, keptQueries(connection, token)]
  }, [token])
  return (
    <QueryClientProvider client={queries} key={token}>
      <label>
        Key <input value={token} onChange={event => setToken(event.target.value)} />
      </label>
      <Notes connection={connection} />
    </QueryClientProvider>
  )
}

/** What has not been sent because there was no network is sent after a reload, with the key that it was given at first. */
const keptQueries = (connection: Connection, token: string) => {
  const [queries, name] = [new QueryClient(), `waiting ${token}`]
  const { mutationKey, ...options } = mutationOptions(connection, addNote)
  queries.setMutationDefaults(mutationKey, options)
  hydrate(queries, JSON.parse(localStorage.getItem(name) ?? '{}'))
  const shouldDehydrateQuery = () => false
  queries.getMutationCache().subscribe(() => {
    localStorage.setItem(name, JSON.stringify(dehydrate(queries, { shouldDehydrateQuery })))
  })
  queries.resumePausedMutations().then(() => queries.invalidateQueries({ queryKey: ['listNotes'] }))
  return queries
}

const Notes = ({ connection }: { connection: Connection }) => {
  const [state, setState] = useState<State | ''>('')
  const filter = { limit: 3, ...(state && { state }) }
  const notes = useInfiniteQuery(infiniteQueryOptions(connection, listNotes, filter))
  const news = useNews(connection)
  return (
    <>
      <label>
        Show{' '}
        <select value={state} onChange={event => setState(event.target.value as State)}>
          <option value="">all</option>
          <option>open</option>
          <option>done</option>
        </select>
      </label>
      <p role="status">{notes.isPending ? 'Loading …' : notes.isError ? told(notes.error) : 'Loaded.'}</p>
      {news && <p className="news">New: {news}</p>}
      <ul>
        {notes.data?.pages.flatMap(({ body }) => body).map(note => (
          <Line key={note.id} note={note} connection={connection} />
        ))}
      </ul>
      {notes.hasNextPage && (
        <button type="button" onClick={() => notes.fetchNextPage()}>
          Load more
        </button>
      )}
      <Form connection={connection} />
    </>
  )
}

/** The text of the newest note, as soon as there is one, whoever has added it. */
const useNews = (connection: Connection) => {
  const queries = useQueryClient()
  const [news, setNews] = useState<string>()
  useEffect(() => {
    const ending = new AbortController()
    const watch = async () => {
      for await (const { data } of readItems(connection, watchNotes, undefined, { signal: ending.signal })) {
        setNews(data?.text)
        await queries.invalidateQueries({ queryKey: ['listNotes'] })
      }
    }
    // Without a valid key there are no news.
    watch().catch(() => {})
    return () => ending.abort()
  }, [connection, queries])
  return news
}

/** Ticked at once; what the service refuses is undone. */
const Line = ({ note, connection }: { note: Note; connection: Connection }) => {
  const queries = useQueryClient()
  const lists = { queryKey: ['listNotes'] }
  const change = useMutation({
    ...mutationOptions(connection, changeNote),
    onMutate: async ({ noteId, body: { state } }) => {
      await queries.cancelQueries(lists)
      const before = queries.getQueriesData<Pages>(lists)
      const changed = (each: Note) => (each.id === noteId ? { ...each, state } : each)
      queries.setQueriesData<Pages>(lists, data => data && {
        ...data,
        pages: data.pages.map(page => ({ ...page, body: page.body.map(changed) }))
      })
      return { before }
    },
    onError: (_error, _input, context) => {
      for (const [key, data] of context?.before ?? []) queries.setQueryData(key, data)
    },
    onSettled: () => queries.invalidateQueries(lists)
  })
  const toggle = () => change.mutate({ noteId: note.id, body: { state: note.state === 'done' ? 'open' : 'done' } })
  return (
    <li>
      <label>
        <input type="checkbox" checked={note.state === 'done'} onChange={toggle} /> {note.text}: {note.amount}
      </label>
      {change.isError && <span role="alert">{told(change.error)}</span>}
    </li>
  )
}

const newNote = addNoteBody({ int64: 'string' })

const Form = ({ connection }: { connection: Connection }) => {
  const queries = useQueryClient()
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const add = useMutation({
    ...mutationOptions(connection, addNote),
    retry: 2,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['listNotes'] })
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const read = newNote['~standard'].validate(Object.fromEntries(new FormData(form)))
    setWrong(Object.fromEntries(read.issues?.map(({ path, message }) => [path.join('.'), message]) ?? []))
    const key = crypto.randomUUID()
    if (!read.issues) add.mutate({ body: read.value, 'Idempotency-Key': key }, { onSuccess: () => form.reset() })
  }
  const field = (name: 'text' | 'amount', label: string) => (
    <label>
      {label} <input name={name} /> {wrong[name] && <span role="alert">{wrong[name]}</span>}
    </label>
  )
  return (
    <form onSubmit={submit} noValidate>
      {field('text', 'Text')}
      {field('amount', 'Amount')}
      <button>Add</button>
      {add.isError && <p role="alert">{told(add.error)}</p>}
    </form>
  )
}

const told = (error: Error) => {
  if (isErrorOf('listNotes', error) && error.status === 401) return 'Please log in.'
  return error instanceof ClientError ? `${error.kind}: ${error.message}` : String(error)
}

createRoot(document.getElementById('app') as HTMLElement).render(<App />)
