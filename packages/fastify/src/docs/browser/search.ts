import { allOperationsOf, descriptionOf } from './contract.ts'
import { Dialog, dialogHead } from './dialog.ts'
import { breakable, h } from './elements.ts'
import { follow } from './links.ts'
import { pathOf } from './schemas.ts'
import type { System, Untyped } from './untyped.ts'

/** Where a search leads, and its texts in lower case: those that count most come first. */
interface Entry {
  href: string
  title: string
  method?: string
  path?: string
  texts: string[]
}

/** Opens the search, which Ctrl-K and the slash do as well. */
export const SearchButton = ({ system }: Untyped) => {
  const [isOpen, setOpen] = React.useState(false)
  React.useEffect(() => {
    const onKeyDown = (event: Untyped) => {
      const isTyping = event.target.closest?.('input, textarea, select')
      const isSlash = event.key === '/' && !isTyping
      if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  const attributes = { type: 'button', className: 'small-button', 'aria-keyshortcuts': 'Control+K /', title: 'Ctrl K' }
  return h(React.Fragment, null, [
    h('button', { ...attributes, onClick: () => setOpen(true) }, 'Search'),
    isOpen && h(SearchDialog, { system, close: () => setOpen(false) })
  ])
}

export const SearchDialog = ({ system, close }: Untyped) => {
  const [text, setText] = React.useState('')
  const [current, setCurrent] = React.useState(0)
  const index = React.useMemo(() => searchIndex(system), [])
  const all: Entry[] = React.useMemo(() => ranked(index, text), [index, text])
  const found = all.slice(0, 50)
  React.useEffect(() => {
    document.getElementById(`found-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const choose = ({ href }: Entry) => {
    close()
    if (location.hash === href) requestAnimationFrame(() => follow(system))
    else location.hash = href
  }
  const onKeyDown = (event: Untyped) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: found.length - 1 }
    const chosen = found[current]
    if (event.key === 'Enter' && chosen !== undefined) choose(chosen)
    else if (event.key in steps && found.length > 0) setCurrent((current + (steps[event.key] ?? 0)) % found.length)
    else return
    event.preventDefault()
  }
  const onChange = (event: Untyped) => {
    setText(event.target.value)
    setCurrent(0)
  }
  const input = {
    ...{
      type: 'search',
      role: 'combobox',
      'aria-label': 'Search',
      autoComplete: 'off',
      value: text,
      onChange,
      onKeyDown
    },
    ...{ 'aria-expanded': found.length > 0, 'aria-controls': 'found', 'aria-autocomplete': 'list' },
    ...(found.length > 0 && { 'aria-activedescendant': `found-${current}` })
  }
  const option = (each: Entry, at: number) =>
    h(
      'li',
      {
        key: each.href,
        id: `found-${at}`,
        role: 'option',
        'aria-selected': at === current,
        onClick: () => choose(each)
      },
      [
        each.method && h('span', { className: `method method-${each.method}` }, each.method),
        h('span', null, [each.title, each.path && h('code', null, breakable(each.path))])
      ]
    )
  return h(Dialog, { name: 'Search', className: 'search', close }, [
    dialogHead('Search', close),
    h('input', input),
    h('p', { role: 'status' }, all.length === 0 ? 'Nothing has all of these words.' : `${all.length} found`),
    found.length > 0 && h('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found' }, found.map(option))
  ])
}

/** Operations with what is said about them, their parameters and schemas, and the sections of the description. */
export const searchIndex = (system: System): Entry[] => {
  // As plain objects, which are many times faster than those of Swagger UI.
  const contract = JSON.parse(system.specSelectors.specStr())
  const known = new Map<string, string[]>()
  const wordsOf = (value: Untyped, depth = 0): string[] => {
    if (typeof value !== 'object' || value === null) return []
    return Object.entries<Untyped>(value).flatMap(([key, each]) => {
      if (key === '$ref' && typeof each === 'string') return wordsAt(each, depth)
      if (typeof each === 'string') return ['description', 'name', 'title', 'code'].includes(key) ? [each] : []
      if (key === 'enum' && Array.isArray(each)) return each.map(String)
      const isNamed = ['properties', 'headers', 'content'].includes(key)
      return [...(isNamed ? Object.keys(each ?? {}) : []), ...wordsOf(each, depth)]
    })
  }
  const wordsAt = (reference: string, depth: number): string[] => {
    const path = pathOf(reference)
    if (depth > 2) return path.slice(-1)
    const words = known.get(reference)
    if (words !== undefined) return words
    // A schema may contain itself.
    known.set(reference, path.slice(-1))
    const part = path.reduce((part: Untyped, key) => part?.[key], contract)
    known.set(reference, [...path.slice(-1), ...wordsOf(part, depth + 1)])
    return known.get(reference) ?? []
  }
  return [
    ...allOperationsOf(system).map(({ href, method, path, summary, operationId, tag }) => {
      const item = contract.paths?.[path]
      const more = [tag, method, ...wordsOf(item?.[method]), ...wordsOf(item?.parameters)]
      return { href, method, path, title: summary, texts: [operationId, summary, path, more.join(' ')].map(lower) }
    }),
    ...descriptionOf(system).sections.map(({ id, title, text }) => ({
      href: `#${id}`,
      title,
      texts: ['', title, '', text].map(lower)
    }))
  ]
}

export const lower = (text: string) => text.toLowerCase()

/** Those that have all words, the best first. */
export const ranked = (index: Entry[], text: string): Entry[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const scored = index.map(entry => ({ entry, scores: words.map(word => scoreOf(entry, word)) }))
  const sum = (scores: number[]) => scores.reduce((one, other) => one + other, 0)
  return scored
    .filter(({ scores }) => !scores.includes(0))
    .toSorted((a, b) => sum(b.scores) - sum(a.scores))
    .map(({ entry }) => entry)
}

/** The most that a word counts: ten times as much in each text as in the next one, more as a whole or at a beginning. */
export const scoreOf = ({ texts }: Entry, word: string): number => {
  for (const [at, text] of texts.entries()) {
    const found = text.indexOf(word)
    if (found < 0) continue
    const isBeginning = found === 0 || /[^\p{L}\p{N}]/u.test(text[found - 1] ?? '')
    return 10 ** (texts.length - at) * (text === word ? 4 : found === 0 ? 3 : isBeginning ? 2 : 1)
  }
  return 0
}

declare const React: Untyped
declare const document: Untyped
declare const location: Untyped
declare const addEventListener: Untyped
declare const removeEventListener: Untyped
declare const requestAnimationFrame: Untyped
