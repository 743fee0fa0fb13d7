import { descriptionOf, groupsOf, type Operation, operationsOf } from './contract.ts'
import { breakable, h } from './elements.ts'
import { Search } from './search.ts'
import { ThemeButton } from './theme.ts'
import type { Untyped } from './untyped.ts'

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
            tags.length > 1 && h('a', { className: 'contents-tag', href: `#/${encodeURIComponent(tag)}` }, tag),
            h('ul', null, (byTag[tag] ?? []).map(contentsEntry))
          ])
        ])
      }),
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

declare const React: Untyped
