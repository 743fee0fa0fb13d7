import { Code } from './code.ts'
import { h } from './elements.ts'
import { clientSample, hasClientServer, isClientOperation } from './sample-client.ts'
import { curlSample, fetchSample } from './sample-code.ts'
import { sampleRequest } from './sample-request.ts'
import type { Untyped } from './untyped.ts'

/** Samples of the request in an operation's form: for a shell, JavaScript and the client. */
export const Samples = ({ system, path, method }: Untyped) => {
  const [chosen, setChosen] = React.useState(() => localStorage.getItem('docs-sample') ?? 'curl')
  const { specSelectors } = system
  const operation = specSelectors.specResolvedSubtree(['paths', path, method])
  if (operation === undefined || !specSelectors.allowTryItOutFor(path, method)) return null
  const request = sampleRequest(system, { path, method, operation: operation.toJS() })
  const clientPackage = document.querySelector('meta[name=client-package]').content
  const isCallable =
    clientPackage !== '' && isClientOperation(request.operation) && hasClientServer(system, path, method)
  const samples: Record<string, { language: string; text: string }> = {
    curl: { language: 'bash', text: curlSample(request) },
    fetch: { language: 'javascript', text: fetchSample(request) },
    ...(isCallable && { TypeScript: { language: 'javascript', text: clientSample(clientPackage, request) } })
  }
  const shown = chosen in samples ? chosen : 'curl'
  const choose = (name: string) => {
    localStorage.setItem('docs-sample', name)
    setChosen(name)
  }
  const button = (name: string) =>
    h('button', { type: 'button', 'aria-pressed': name === shown, onClick: () => choose(name) }, name)
  return h('section', { className: 'samples' }, [
    h('div', { className: 'samples-bar' }, [
      h('h4', null, 'Request'),
      h(
        'div',
        { className: 'samples-names', role: 'group', 'aria-label': 'Language' },
        Object.keys(samples).map(button)
      )
    ]),
    shown === 'TypeScript' &&
      h(Code, {
        system,
        text: `npm install ${clientPackage}`,
        language: 'bash',
        className: 'sample-install',
        label: 'how to install the client'
      }),
    h(Code, { system, ...samples[shown], className: 'sample', label: `the request with ${shown}` })
  ])
}

declare const React: Untyped
declare const document: Untyped
declare const localStorage: Untyped
