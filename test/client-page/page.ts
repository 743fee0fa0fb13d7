// A page as somebody may write it with only the package: packages/generator/test/client-page.full.test.ts bundles it with the packed
// client, serves it from another origin than the demo, and uses it in a browser.
import type { NewPet, Pet } from '@animal-store/contract'
import { type CallOptions, ClientError, createClient, type Inputs, isErrorOf } from '@animal-store/contract/client'

const settings = new URLSearchParams(location.search)
const element = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T
const [status, list, more, form] = [
  element('status'),
  element('pets'),
  element('more'),
  element<HTMLFormElement>('new')
]

// The page's URL says how the demo is to respond, to the first request or to all of them.
let sent = 0
const client = createClient({
  baseUrl: settings.get('service') ?? '/v1',
  apiKey: settings.get('key') ?? '',
  retries: settings.has('once') ? { max: 1 } : false,
  fetch: request => {
    const wish = settings.get('prefer') ?? (sent === 0 ? settings.get('once') : null)
    sent++
    if (wish !== null) request.headers.set('Prefer', wish)
    return fetch(request)
  }
})

const options: CallOptions = { headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }
const timeoutMs = settings.get('timeout')
if (timeoutMs !== null) options.timeoutMs = Number(timeoutMs)

const show = (pet: Pet) => {
  const item = document.createElement('li')
  item.textContent = `${pet.id} ${pet.name}`
  list.append(item)
}
const said = (error: unknown) => {
  if (isErrorOf('listPets', error) && error.status === 401) return `Please log in: ${error.body.message}`
  return error instanceof ClientError ? `${error.kind} ${error.status ?? ''}: ${error.message}` : `${error}`
}

let next: Inputs['listPets'] | undefined = { limit: 3 }
const load = async () => {
  const controller = new AbortController()
  if (settings.has('abort')) setTimeout(() => controller.abort('The page was left.'), Number(settings.get('abort')))
  try {
    const page = await client.listPets(next, { ...options, signal: controller.signal }).page()
    page.body.forEach(show)
    next = page.next
    more.hidden = next === undefined
    status.textContent = `Loaded, with ${sent} requests.`
  } catch (error) {
    status.textContent = said(error)
  }
}

more.addEventListener('click', load)
form.addEventListener('submit', async event => {
  event.preventDefault()
  const body: NewPet = { name: String(new FormData(form).get('name')), categoryId: 7 }
  const result = await client.createPet({ body }, options)
  status.textContent = result.status === 201 ? `Added ${result.body.name} as ${result.body.id}.` : result.body.message
})
await load()
