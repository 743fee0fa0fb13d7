import {
  allOperationsOf,
  descriptionOf,
  groupsOf,
  linkTo,
  type Operation,
  operationIn,
  operationsOf,
  titleOf
} from './contract.ts'
import { breakable, h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

export const Contents = ({ system, theme }: Untyped) => {
  const [isOpen, setOpen] = React.useState(false)
  const contract = system.specSelectors.specJson()
  const operations = React.useMemo(() => operationsOf(system), [contract, system.layoutSelectors.currentFilter()])
  const byTag = Object.groupBy(operations as Operation[], each => each.tag)
  const link = (href: string, text: string) => h('li', null, h('a', { href }, text))
  const toggle = {
    type: 'button',
    'aria-expanded': isOpen,
    'aria-controls': 'contents',
    className: 'contents-button contents-open',
    onClick: () => setOpen(!isOpen)
  }
  return h('nav', { className: 'contents', 'aria-label': 'Contents' }, [
    h('div', { className: 'contents-bar' }, [
      h('a', { className: 'contents-title', href: '#' }, system.specSelectors.info().get('title')),
      h(ThemeButton, { theme }),
      h('button', toggle, 'Contents')
    ]),
    h(Search, { system, shown: operations.length }),
    h('ul', { id: 'contents', className: isOpen ? 'is-open' : '', onClick: () => setOpen(false) }, [
      descriptionOf(system).sections.map(({ id, title }) => link(`#${id}`, title)),
      groupsOf(system).map(({ id, name, tags }) => {
        return h('li', { className: 'contents-group' }, [
          name && h('a', { href: `#${id}` }, name),
          tags.map(tag => [
            tags.length > 1 && h('a', { className: 'contents-tag', href: linkTo(tag) }, titleOf(system, tag)),
            h('ul', null, (byTag[tag] ?? []).map(contentsEntry))
          ])
        ])
      }),
      system.historySelectors.sent().length > 0 && link('#history', 'History'),
      link('#schemas', 'Schemas'),
      link('#changelog', 'Changelog')
    ])
  ])
}

export const contentsEntry = ({ href, method, summary, mark }: Operation) =>
  h('li', { className: 'contents-operation' }, [
    h('span', { className: 'contents-method' }, method),
    h('a', { href, className: mark }, breakable(summary)),
    mark && h('span', { className: 'mark' }, mark)
  ])

/** Filters the operations of the page and of its contents. */
export const search = () => ({
  afterLoad(system: System) {
    system.fn.opsFilter = (tagged: Untyped, text: string) => operationsWith(system, tagged, text)
  }
})

/** The operations that contain every word. */
export const operationsWith = (system: System, tagged: Untyped, text: string) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = (tag: string) => (entry: Untyped) => {
    const { path, method, operationId, summary } = operationIn(system, tag)(entry)
    const searched = [tag, method, path, operationId, summary].join(' ').toLowerCase()
    return words.every(word => searched.includes(word))
  }
  return tagged
    .map((each: Untyped, tag: string) => each.update('operations', (all: Untyped) => all.filter(found(tag))))
    .filter((each: Untyped) => each.get('operations').size > 0)
}

/** The search field, unless the list is short enough to be seen at once. */
export const Search = ({ system, shown }: { system: System; shown: number }) => {
  const all = React.useMemo(() => allOperationsOf(system).length, [system.specSelectors.specJson()])
  const [text, setText] = React.useState('')
  const filter = system.layoutSelectors.currentFilter() || ''
  React.useEffect(() => {
    if (text === filter) return
    const timer = setTimeout(() => system.layoutActions.updateFilter(text), 150)
    return () => clearTimeout(timer)
  }, [text])
  // A link to an operation that was not found ends the search.
  React.useEffect(() => {
    if (filter === '') setText('')
  }, [filter])
  if (all <= 10) return null
  const onChange = (event: Untyped) => setText(event.target.value)
  const label = 'Search operations'
  return h('div', { className: 'search', role: 'search' }, [
    h('input', { type: 'search', 'aria-label': label, placeholder: label, value: text, onChange }),
    h('p', { role: 'status' }, filter === '' ? `${all} operations` : `${shown} of ${all} operations`)
  ])
}

/** The reader's choice, otherwise the system's. */
export const createTheme = () => {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (localStorage.getItem('docs-theme') ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark'
  const apply = () => document.documentElement.classList.toggle('dark-mode', isDark())
  const toggle = () => {
    localStorage.setItem('docs-theme', isDark() ? 'light' : 'dark')
    apply()
  }
  const onSystemChange = (listener: () => void) => prefersDark.addEventListener('change', listener)
  apply()
  onSystemChange(apply)
  return { isDark, toggle, onSystemChange }
}

export const ThemeButton = ({ theme }: { theme: Theme }) => {
  const [isDark, setDark] = React.useState(theme.isDark)
  const update = () => setDark(theme.isDark())
  const onClick = () => {
    theme.toggle()
    update()
  }
  React.useEffect(() => theme.onSystemChange(update), [])
  return h('button', { type: 'button', className: 'contents-button', onClick }, isDark ? 'Light mode' : 'Dark mode')
}

export type Theme = ReturnType<typeof createTheme>

declare const React: Untyped
declare const document: Untyped
declare const localStorage: Untyped
declare const matchMedia: Untyped
