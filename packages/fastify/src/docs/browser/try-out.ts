import { h, Labelled, region } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** Which operations can be tried out, and on which server. */
export const tryOut = () => ({
  wrapComponents: {
    ServersContainer: reachableServer
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
        server === here && ' – receives the requests that you send here'
      ])
    ])
  )
  return region('Servers', list)
}

declare const React: Untyped
declare const location: Untyped
