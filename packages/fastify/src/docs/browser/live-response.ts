import { Code } from './code.ts'
import { h } from './elements.ts'
import { curlSample, jsonOf } from './sample-code.ts'
import type { Untyped } from './untyped.ts'

/** The response to the request that was sent, in view once it arrives; replaces Swagger UI's. */
export const LiveResponse = ({ system, response, path, method }: Untyped) => {
  const element = React.useRef()
  const isSending = system.historySelectors.isSending(path, method)
  const wasSending = React.useRef(false)
  React.useEffect(() => {
    if (wasSending.current && !isSending) showTop(element.current)
    wasSending.current = isSending
  }, [isSending])
  const status = isSending
    ? 'Sending …'
    : response && [
        h(
          'span',
          { className: `status status-${String(response.get('status'))[0]}` },
          response.get('status') ?? 'No response'
        ),
        ` ${response.get('statusText') ?? ''}`,
        response.get('duration') !== undefined && ` in ${response.get('duration')} ms`,
        response.get('notDocumented') && ' – not in the contract'
      ]
  return h('section', { ref: element, className: response ? 'live-response' : '' }, [
    response && h('h4', null, 'Response'),
    // Rendered before it has text: otherwise assistive technology would not announce it.
    h('p', { role: 'status', className: 'live-status' }, status),
    response && errorMessages(response).map(text => h('p', { className: 'error-message' }, text)),
    String(response?.get('status')) === '401' && h(Unauthorized, { system, response }),
    response && h(Received, { system, response, path, method })
  ])
}

/** What the body of an error says to people: its message, or the title and the detail of RFC 9457. */
export const errorMessages = (response: Untyped): string[] => {
  const text = response.get('text')
  if (Number(response.get('status')) < 400 || typeof text !== 'string' || text.length > 100_000) return []
  const body: Untyped = jsonOf(text) ?? {}
  const { message, title, detail } = body.error ?? body
  return [message, title, detail].filter(each => typeof each === 'string')
}

/** Scrolls only if the beginning is not on the screen, or just at its lower edge. */
export const showTop = (element: Untyped) => {
  const { top } = element.getBoundingClientRect()
  if (top < 0 || top > innerHeight * 0.7) element.scrollIntoView()
}

/** Why the service wants to know who asks, and where to say it. */
export const Unauthorized = ({ system: { authActions, authSelectors }, response }: Untyped) => {
  // When the response came, not what has been saved since.
  const hadCredential = React.useMemo(() => authSelectors.authorized().size > 0, [response])
  const onClick = () => authActions.showDefinitions(authSelectors.definitionsToAuthorize())
  return h('p', { className: 'notice' }, [
    hadCredential ? 'The service did not accept what you saved. ' : 'This operation needs a credential. ',
    h('button', { type: 'button', className: 'small-button', onClick }, 'Authorize')
  ])
}

export const Received = ({ system, response, path, method }: Untyped) => {
  const { specSelectors, getComponent, getConfigs } = system
  const request = specSelectors.mutatedRequestFor(path, method)
  const headers = response.get('headers')?.toJS() ?? {}
  const content = response.get('text')
  const url = request.get('url')
  const body = { content, contentType: headers['content-type'], url, headers, getConfigs, getComponent }
  // Parses and formats a body only once.
  const shownBody = React.useMemo(() => content && h(getComponent('responseBody'), body), [response])
  const Markdown = getComponent('Markdown', true)
  const sent = { ...request.toObject(), headers: request.get('headers').toJS(), body: sentParts(request.get('body')) }
  const command = curlSample({ ...sent, credentials: [] } as Untyped)
  return h(React.Fragment, null, [
    h('pre', { className: 'request-url' }, `${method.toUpperCase()} ${url}`),
    response.get('status') === undefined && h(Markdown, { source: response.get('message') }),
    h(NextPage, { system, path, method, response }),
    shownBody,
    h(ReceivedHeaders, { headers, declared: declaredHeaders(specSelectors, { path, method, response }) }),
    h('details', { className: 'sent' }, [
      h('summary', null, 'The request that was sent, with your key'),
      h(Code, { system, text: command, language: 'bash', className: 'curl', label: 'the request that was sent' })
    ])
  ])
}

/** The parts of a form that was sent: Swagger UI numbers those of the same name. */
export const sentParts = (body: Untyped) =>
  body?.entrySeq === undefined
    ? body
    : body
        .entrySeq()
        .toArray()
        .map(([name, value]: Untyped) => [name.replace(/_\*\*\[\]\d+$/, ''), value])

/** The names of the headers that the contract declares for a response, in lower case. */
export const declaredHeaders = (specSelectors: Untyped, { path, method, response }: Untyped): string[] => {
  const responses = specSelectors.specResolvedSubtree(['paths', path, method, 'responses'])
  const declared = responses?.get(String(response.get('status'))) ?? responses?.get('default')
  return [...(declared?.get('headers')?.keys() ?? [])].map(name => name.toLowerCase())
}

export const ReceivedHeaders = ({ headers, declared }: Untyped) => {
  const isDeclared = ([name]: [string, unknown]) => declared.includes(name)
  const { true: known = [], false: others = [] } = Object.groupBy(Object.entries(headers), each =>
    String(isDeclared(each))
  )
  // Swagger UI splits values at ", " – and nowhere else.
  const line = ([name, value]: [string, unknown]) =>
    h('li', null, [h('span', null, `${name}: `), [value].flat().join(', ')])
  return h('details', { className: 'received-headers' }, [
    h('summary', null, [
      `${known.length + others.length} headers`,
      known.length > 0 && [', with ', known.map(([name], index) => [index > 0 && ', ', h('code', null, name)])]
    ]),
    h('ul', null, [...known, ...others].map(line))
  ])
}

/** Requests the next page, by the response's `Link` header. */
export const NextPage = ({ system, path, method, response }: Untyped) => {
  const { link } = response.get('headers')?.toJS() ?? {}
  const [, target] = /<([^>]*)>[^,]*;\s*rel="?next"?\s*(?:[,;]|$)/i.exec(link ?? '') ?? []
  if (target === undefined) return null
  const current = new URL(response.get('url'))
  const next = new URL(target, current)
  const changed = [...next.searchParams].filter(([name, value]) => current.searchParams.get(name) !== value)
  const requestNext = () => {
    const { specActions, specSelectors } = system
    const operation = specSelectors.specResolvedSubtree(['paths', path, method])
    for (const parameter of operation.get('parameters') ?? [])
      if (parameter.get('in') === 'query')
        specActions.changeParamByIdentity([path, method], parameter, next.searchParams.get(parameter.get('name')))
    specActions.execute({ operation, path, method })
  }
  return h('p', { className: 'next-page' }, [
    h('button', { type: 'button', className: 'btn', onClick: requestNext }, 'Next page'),
    changed.map(([name, value]) => h('span', null, [`${name} `, h('code', null, value)]))
  ])
}

declare const React: Untyped
declare const innerHeight: number
