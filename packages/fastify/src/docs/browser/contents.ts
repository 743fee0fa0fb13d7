import { allOperationsOf, descriptionOf, groupsOf, linkTo, type Operation, titleOf } from './contract.ts'
import { breakable, h } from './elements.ts'
import { SearchButton } from './search.ts'
import type { Untyped } from './untyped.ts'

export const Contents = ({ system, theme }: Untyped) => {
  const [isOpen, setOpen] = React.useState(false)
  const contract = system.specSelectors.specJson()
  const operations: Operation[] = React.useMemo(() => allOperationsOf(system), [contract])
  const byTag = Object.groupBy(operations, each => each.tag)
  const title = system.specSelectors.info().get('title')
  const link = (href: string, text: string) => h('li', null, h('a', { href }, text))
  const toggle = {
    type: 'button',
    'aria-expanded': isOpen,
    'aria-controls': 'contents',
    className: 'small-button contents-open',
    onClick: () => setOpen(!isOpen)
  }
  const entries = (tag: string) => h('ul', null, (byTag[tag] ?? []).map(contentsEntry))
  const branch = (tag: string) =>
    h(Branch, { key: tag, href: linkTo(tag), name: titleOf(system, tag), isFirstOpen: operations.length <= 100 }, () =>
      entries(tag)
    )
  const onClick = (event: Untyped) => event.target.closest('a') && setOpen(false)
  return h('nav', { className: 'contents', 'aria-label': 'Contents' }, [
    h('div', { className: 'contents-bar' }, [
      h('a', { className: 'contents-title', href: '#', title }, title),
      h(SearchButton, { system }),
      h(ThemeButton, { theme }),
      h('button', toggle, 'Contents')
    ]),
    h('ul', { id: 'contents', className: isOpen ? 'is-open' : '', onClick }, [
      descriptionOf(system).sections.map(({ id, title }) => link(`#${id}`, title)),
      groupsOf(system).map(({ id, name, tags }) => {
        if (name === '') return tags.map(branch)
        const draw = () => (tags.length === 1 ? entries(tags[0] ?? '') : h('ul', null, tags.map(branch)))
        return h(Branch, { key: id, href: `#${id}`, name, isFirstOpen: true }, draw)
      }),
      system.historySelectors.sent().length > 0 && link('#history', 'History'),
      contract.getIn(['components', 'schemas'])?.size > 0 && link('#schemas', 'Schemas'),
      link('#changelog', 'Changelog')
    ])
  ])
}

/** A group or a tag, which leads to its heading; its operations fold. */
export const Branch = ({ href, name, isFirstOpen, children: draw }: Untyped) => {
  const [isOpen, setOpen] = React.useState(isFirstOpen)
  const toggle = {
    type: 'button',
    className: 'branch-toggle',
    'aria-expanded': isOpen,
    'aria-label': `Operations of ${name}`,
    onClick: () => setOpen(!isOpen)
  }
  return h('li', { className: 'branch' }, [
    h('div', { className: 'branch-head' }, [h('a', { href }, name), h('button', toggle)]),
    isOpen && draw()
  ])
}

export const contentsEntry = ({ href, method, summary, mark }: Operation) =>
  h('li', { key: href, className: 'contents-operation' }, [
    h('span', { className: `method method-${method}` }, method),
    h('a', { href, className: mark }, breakable(summary)),
    mark && h('span', { className: 'mark' }, mark)
  ])

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
  const name = isDark ? 'Light mode' : 'Dark mode'
  return h(
    'button',
    { type: 'button', className: 'small-button', 'aria-label': name, title: name, onClick },
    isDark ? '☀' : '☾'
  )
}

export type Theme = ReturnType<typeof createTheme>

declare const React: Untyped
declare const document: Untyped
declare const localStorage: Untyped
declare const matchMedia: Untyped
