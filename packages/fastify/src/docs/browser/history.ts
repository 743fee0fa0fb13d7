import { allOperationsOf } from './contract.ts'
import { breakable, h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** A request that was sent from the page, and the form that it was made from. */
interface Sent {
  path: string
  method: string
  url?: string
  at: Date
  form: Untyped
  /** Unless there is no response yet. */
  status?: string
  duration?: number
}

/** The requests since the page was opened, and how often each form was reset. */
export const requestHistory = () => ({
  statePlugins: {
    history: {
      actions: {
        addSent: (payload: object) => ({ type: 'history_add', payload }),
        addResponse: (payload: object) => ({ type: 'history_response', payload }),
        countReset: (payload: object) => ({ type: 'history_reset', payload })
      },
      reducers: {
        history_add: (state: Untyped, { payload }: Untyped) =>
          state.update('sent', [], (all: Sent[]) => [...all, payload]),
        history_response: (state: Untyped, { payload }: Untyped) =>
          state.update('sent', [], (all: Sent[]) => withResponse(all, payload)),
        history_reset: (state: Untyped, { payload: { path, method } }: Untyped) =>
          state.updateIn(['resets', path, method], 0, (count: number) => count + 1)
      },
      selectors: {
        sent: (state: Untyped): Sent[] => state.get('sent', []),
        isSending: (state: Untyped, path: string, method: string) =>
          state.get('sent', []).some((each: Sent) => isWaiting(each, { path, method })),
        resets: (state: Untyped, path: string, method: string) => state.getIn(['resets', path, method], 0)
      }
    },
    spec: {
      wrapActions: {
        execute:
          (original: Untyped, { historyActions, specActions, ...system }: System) =>
          (request: Untyped) => {
            const { path, method } = request
            historyActions.addSent({ path, method, at: new Date(), form: formOf(system, path, method) })
            try {
              return original(request)
            } catch (err) {
              specActions.setResponse(path, method, { error: true, err })
            }
          },
        setResponse:
          (original: Untyped, { historyActions, specSelectors }: System) =>
          (path: string, method: string, response: Untyped) => {
            const result = original(path, method, response)
            const { status = response.err?.response?.status ?? 'No response' } = response
            const url = specSelectors.requestFor(path, method).get('url')
            historyActions.addResponse({ path, method, url, status })
            return result
          }
      }
    }
  }
})

export const isWaiting = (sent: Sent, { path, method }: { path: string; method: string }) =>
  sent.status === undefined && sent.path === path && sent.method === method

export const withResponse = (all: Sent[], response: Sent): Sent[] => {
  const found = all.find(each => isWaiting(each, response))
  const duration = Date.now() - Number(found?.at)
  return all.map(each => (each === found ? { ...each, ...response, duration } : each))
}

/** What the form of an operation holds. */
export const formOf = ({ specSelectors, oas3Selectors }: System, path: string, method: string) => ({
  values: specSelectors.parameterValues([path, method]),
  type: oas3Selectors.requestContentType(path, method),
  body: oas3Selectors.requestBodyValue(path, method),
  // Of all operations, and of this one.
  servers: [undefined, `${path}:${method}`].map(namespace => {
    const server = oas3Selectors.selectedServer(namespace)
    return { namespace, server, variables: oas3Selectors.serverVariables({ namespace, server }) }
  })
})

/** A form with only that field. */
export const fieldOf = (body: Untyped, name: string) =>
  body.filter((_: unknown, key: string) => key === name).map((field: Untyped) => field?.get?.('value') ?? field)

/** Fills in the form with what it held, and sends it. */
export const sendAgain = (system: System, { path, method, form }: Sent) => {
  const { specActions, specSelectors, oas3Actions } = system
  const operation = specSelectors.specResolvedSubtree(['paths', path, method])
  const pathMethod = [path, method]
  for (const parameter of operation.get('parameters') ?? []) {
    const value = form.values.get(`${parameter.get('in')}.${parameter.get('name')}`)
    specActions.changeParamByIdentity(pathMethod, parameter, value ?? null)
  }
  for (const { namespace, server, variables } of form.servers) {
    if (!server) continue
    oas3Actions.setSelectedServer(server, namespace)
    for (const [key, val] of variables) oas3Actions.setServerVariableValue({ namespace, server, key, val })
  }
  if (form.type) oas3Actions.setRequestContentType({ pathMethod, value: form.type })
  const { body } = form
  // Swagger UI takes only one field of a form at a time.
  const parts = typeof body?.keys === 'function' ? [...body.keys()].map(name => fieldOf(body, name)) : [body]
  for (const value of parts) oas3Actions.setRequestBodyValue({ pathMethod, value })
  specActions.execute({ operation, path, method })
}

export const History = ({ system }: Untyped) => {
  const all: Sent[] = system.historySelectors.sent()
  if (all.length === 0) return null
  const operations = allOperationsOf(system)
  const line = (sent: Sent) => {
    const { path, method, url = path, at, status = 'sending …', duration } = sent
    const { href } = operations.find(each => each.path === path && each.method === method) ?? {}
    const shown = url.replace(location.origin, '')
    const onClick = () => {
      sendAgain(system, sent)
      location.hash = href ?? ''
    }
    return h('li', null, [
      h('time', { dateTime: at.toISOString() }, at.toLocaleTimeString()),
      h('span', { className: 'history-request' }, [
        h('span', { className: `method method-${method}` }, method),
        ' ',
        h('a', { href }, breakable(shown))
      ]),
      h('span', null, [
        h('span', { className: `status status-${String(status)[0]}` }, status),
        duration !== undefined && ` ${duration} ms`
      ]),
      h('button', { type: 'button', className: 'small-button', onClick }, 'Send again')
    ])
  }
  return h('section', { id: 'history', className: 'section', 'aria-label': 'History' }, [
    h('h2', { tabIndex: -1 }, 'History'),
    h('p', null, 'The requests since you opened this page; the last one is the first.'),
    h('ol', { className: 'history', reversed: true }, all.toReversed().map(line))
  ])
}

declare const location: Untyped
