import { AuthorizeDialog } from './authorize.ts'
import { Code } from './code.ts'
import { allOperationsOf, descriptionOf, type Operation } from './contract.ts'
import { h, region } from './elements.ts'
import { curlSample } from './sample-code.ts'
import { sampleRequest } from './sample-request.ts'
import type { Untyped } from './untyped.ts'

/** What the API is, and where to find more. */
export const About = ({ system }: Untyped) => {
  const contract = system.specSelectors.specJson()
  const info = contract.get('info')?.toJS() ?? {}
  const { title, version, summary, contact = {}, license, termsOfService } = info
  const more = contract.get('externalDocs')?.toJS()
  const link = (href: string | undefined, text = href) => {
    const url = URL.parse(href ?? '', system.specSelectors.url())?.href ?? ''
    return /^(?:https?|mailto):/.test(url) ? h('a', { href: url }, text) : text
  }
  const licence = license?.url ?? (license?.identifier && `https://spdx.org/licenses/${license.identifier}.html`)
  const links = [
    h('a', { href: '../openapi.yaml' }, 'openapi.yaml'),
    h('a', { href: '../openapi.json' }, 'openapi.json'),
    h('a', { href: '#changelog' }, 'Changelog'),
    more && link(more.url, more.description ?? more.url),
    (contact.url || contact.name) && link(contact.url, contact.name ?? contact.url),
    contact.email && link(`mailto:${contact.email}`, contact.email),
    termsOfService && link(termsOfService, 'Terms of service'),
    license && ['Licence: ', link(licence, license.name)]
  ]
  return h('header', { className: 'about' }, [
    h('h1', null, [title, ' ', h('span', { className: 'version' }, version)]),
    summary && h('p', { className: 'summary' }, summary),
    h(system.getComponent('Markdown', true), { source: descriptionOf(system).intro }),
    h(
      'ul',
      { className: 'documents' },
      links.filter(Boolean).map(each => h('li', null, each))
    )
  ])
}

/** How to authorize, and a first request to copy. */
export const Start = ({ system }: Untyped) => {
  const definitions = system.authSelectors.definitionsToAuthorize()
  return h('div', { className: 'start wrapper' }, [
    definitions?.size > 0 && h(Authorization, { system, definitions }),
    h(FirstRequest, { system })
  ])
}

export const Authorization = ({ system, definitions }: Untyped) => {
  const { authActions, authSelectors, getComponent } = system
  const schemes = definitions.toArray().flatMap((each: Untyped) => each.toArray())
  const descriptions = schemes.flatMap(([, scheme]: Untyped) => scheme.get('description') ?? [])
  return region('Authorization', [
    h('h2', null, 'Authorize'),
    descriptions.length === 1 && h(getComponent('Markdown', true), { source: descriptions[0] }),
    h(
      'button',
      { type: 'button', className: 'btn authorize', onClick: () => authActions.showDefinitions(definitions) },
      'Authorize'
    ),
    authSelectors.authorized().size > 0 && h('span', { className: 'credential-status' }, 'Saved in this browser'),
    authSelectors.shownDefinitions() && h(AuthorizeDialog, { system })
  ])
}

/** A request that works as it is, once it has a key. */
export const FirstRequest = ({ system }: Untyped) => {
  const { specSelectors, specActions } = system
  const found = React.useMemo(() => allOperationsOf(system).find(isSimple), [specSelectors.specJson()])
  const at = ['paths', found?.path, found?.method]
  const operation = found && specSelectors.specResolvedSubtree(at)
  React.useEffect(() => {
    if (found !== undefined && operation === undefined) specActions.requestResolvedSubtree(at)
  }, [found])
  if (operation === undefined) return null
  const request = sampleRequest(system, { ...found, operation: operation.toJS() })
  return region('First request', [
    h('h2', null, 'First request'),
    h('p', null, h('a', { href: found.href }, found.summary)),
    h(Code, { system, text: curlSample(request), language: 'bash', label: 'a first request' })
  ])
}

export const isSimple = ({ method, path, mark, operation }: Operation) =>
  method === 'get' &&
  mark === undefined &&
  !path.includes('{') &&
  !(operation.get('parameters') ?? []).some((each: Untyped) => each.get('required'))

declare const React: Untyped
