import { allOperationsOf, operationIn } from './contract.ts'
import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** Filters the operations of the page and of its contents. */
export const search = () => ({
  fn: { opsFilter: operationsWith },
  // Swagger UI's own filter searches tags and paths only.
  wrapComponents: { FilterContainer: () => () => null }
})

/** The operations that contain every word. */
export const operationsWith = (tagged: Untyped, text: string) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = (tag: string) => (entry: Untyped) => {
    const { path, method, operationId, summary } = operationIn(tag)(entry)
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

declare const React: Untyped
