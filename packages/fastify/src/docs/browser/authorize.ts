import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** The dialog of Swagger UI, which keeps the focus and gives it back. */
export const authorizationDialog = (Original: Untyped) => (props: Untyped) => {
  const dialog = React.useRef()
  const [opener] = React.useState(() => document.activeElement)
  React.useEffect(() => () => opener?.focus(), [])
  const keepInside = (event: Untyped) => {
    const inside = dialog.current.querySelectorAll('button, input, a[href]')
    const [from, to] = event.shiftKey ? [inside[0], inside[inside.length - 1]] : [inside[inside.length - 1], inside[0]]
    if (event.key !== 'Tab' || document.activeElement !== from) return
    event.preventDefault()
    to.focus()
  }
  const attributes = { ref: dialog, role: 'dialog', 'aria-modal': true, 'aria-label': 'Authorize' }
  // After each update, corrects the levels of Swagger UI's headings, which skip some and go up and down.
  React.useEffect(() => {
    const levels: Record<string, string> = { H3: '2', H4: '3' }
    for (const heading of dialog.current.querySelectorAll('h2, h3, h4, h5, h6'))
      heading.setAttribute('aria-level', levels[heading.tagName] ?? '4')
  })
  return h('div', { ...attributes, onKeyDown: keepInside }, h(Original, props))
}

/** Says once, above the first credential, where keys are stored. */
export const whereKeysStay =
  (Original: Untyped, { authSelectors }: System) =>
  (props: Untyped) => {
    const isFirst = props.definitions === authSelectors.shownDefinitions()?.first()
    return h(React.Fragment, null, [
      isFirst &&
        h('p', { className: 'auth-notice' }, [
          'What you authorize with is kept in this browser, even after you close the page, until you choose Logout here. ',
          'It is sent only with the requests that you try out.'
        ]),
      h(Original, props)
    ])
  }

export const closeIcon = () => () => [
  h('span', { key: 'name', className: 'unseen' }, 'Close'),
  h('span', { key: 'icon', 'aria-hidden': true }, '×')
]

declare const React: Untyped
declare const document: Untyped
