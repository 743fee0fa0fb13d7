import { h, Labelled, region } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** What is needed to try out operations beside forms: a server and a key. */
export const tryOut = () => ({
  wrapComponents: {
    ServersContainer: reachableServer,

    authorizationPopup: authorizationDialog,
    auths: whatIsSaved,
    CloseIcon: closeIcon
  },
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor:
          (original: Untyped, { specSelectors }: System) =>
          (_state: unknown, path: string, method: string) =>
            original(path, method) &&
            specSelectors.specJson().getIn(['paths', path, method, 'x-hideTryItPanel']) !== true
      }
    }
  }
})

// The content security policy allows requests to the page's own server only.
export const reachableServer = (Original: Untyped) => (props: Untyped) => {
  const { specSelectors, oas3Selectors, oas3Actions } = props
  const servers: { url: string; description?: string; variables?: object }[] = specSelectors.servers().toJS()
  const urlOf = ({ url }: { url: string }) => URL.parse(url, specSelectors.url())
  const [here, ...more] = servers.filter(each => urlOf(each)?.origin === location.origin)
  const first = here ?? servers[0]
  React.useEffect(() => {
    if (first !== undefined && !oas3Selectors.selectedServer()) oas3Actions.setSelectedServer(first.url)
  })
  if (more.length > 0 || servers.some(each => each.variables !== undefined))
    return region('Servers', h(Labelled, { name: 'Server' }, h(Original, props)))
  const list = h(
    'dl',
    { className: 'addresses' },
    (first === undefined ? [] : [first, ...servers.filter(each => each !== first)]).map(server => [
      h('dt', null, server.description ?? 'Server'),
      h('dd', null, [
        h('code', null, urlOf(server)?.href ?? server.url),
        server === here && ' – receives the requests that you try out here'
      ])
    ])
  )
  return region('Servers', list)
}

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
  // After each update.
  React.useEffect(() => {
    // Swagger UI removes the input that had it.
    if (!dialog.current.contains(document.activeElement)) dialog.current.querySelector('.btn-done')?.focus()
    // Swagger UI's headings skip levels and go up and down.
    const levels: Record<string, string> = { H3: '2', H4: '3' }
    for (const heading of dialog.current.querySelectorAll('h2, h3, h4, h5, h6'))
      heading.setAttribute('aria-level', levels[heading.tagName] ?? '4')
  })
  return h('div', { ...attributes, onKeyDown: keepInside }, h(Original, props))
}

/** Says once, above the first credential, where keys are stored, and of each whether it is: not that it is right, which nobody has judged. */
export const whatIsSaved =
  (Original: Untyped, { authSelectors }: System) =>
  (props: Untyped) => {
    const isFirst = props.definitions === authSelectors.shownDefinitions()?.first()
    return h(React.Fragment, null, [
      isFirst &&
        h('p', { className: 'auth-notice' }, [
          'What you authorize with is kept in this browser, even after you close the page, until you choose Logout here. ',
          'It is sent only with the requests that you try out.'
        ]),
      h('p', { role: 'status', className: 'auth-status' }, [
        props.definitions.some((_: unknown, name: string) => authSelectors.authorized().has(name)) &&
          'Saved in this browser. The first request that you send shows whether the service accepts it.'
      ]),
      h(Original, props)
    ])
  }

export const closeIcon = () => () => [
  h('span', { key: 'name', className: 'unseen' }, 'Close'),
  h('span', { key: 'icon', 'aria-hidden': true }, '×')
]

declare const React: Untyped
declare const location: Untyped
declare const document: Untyped
