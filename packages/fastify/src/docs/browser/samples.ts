import { Code } from './code.ts'
import { Choice, h } from './elements.ts'
import { clientSample, hasClientServer, isClientOperation } from './sample-client.ts'
import { curlSample, fetchSample, textOf } from './sample-code.ts'
import { csharpSample, goSample, javaSample } from './sample-compiled.ts'
import { type SampleRequest, sampleRequest } from './sample-request.ts'
import { httpSample, phpSample, powershellSample, pythonSample, rubySample } from './sample-scripts.ts'
import type { Untyped } from './untyped.ts'

/** The request in an operation's form, in the language that was chosen last. */
export const Samples = ({ system, path, method }: Untyped) => {
  const [chosen, setChosen] = React.useState(() => localStorage.getItem('docs-sample') ?? 'curl')
  const { specSelectors } = system
  const operation = specSelectors.specResolvedSubtree(['paths', path, method])
  if (operation === undefined || !specSelectors.allowTryItOutFor(path, method)) return null
  const request = sampleRequest(system, { path, method, operation: operation.toJS() })
  const clientPackage = document.querySelector('meta[name=client-package]').content
  const isCallable =
    clientPackage !== '' && isClientOperation(request.operation) && hasClientServer(system, path, method)
  const samples = samplesOf(request, isCallable ? clientPackage : '')
  const names = Object.keys(samples)
  const shown = names.includes(chosen) ? chosen : 'curl'
  const choose = (name: string) => {
    localStorage.setItem('docs-sample', name)
    setChosen(name)
  }
  const { language, text } = samples[shown] ?? { text: () => '' }
  return h('section', { className: 'samples' }, [
    h('div', { className: 'samples-bar' }, [
      h('h4', null, 'Request'),
      h(Choice, { label: 'Language', options: names.map(name => [name, name]), value: shown, onChange: choose })
    ]),
    shown === 'TypeScript' &&
      h(Code, {
        system,
        text: `npm install ${clientPackage}`,
        language: 'bash',
        className: 'sample-install',
        label: 'how to install the client'
      }),
    h(Code, { system, language, text: text(), className: 'sample', label: `the request with ${shown}` })
  ])
}

/** The samples of the languages that can send the request: not all have forms in parts. */
export const samplesOf = (request: SampleRequest, clientPackage: string) => {
  const { method, body } = request
  const isForm = Array.isArray(body)
  // Parts of the same name, or with a media type.
  const isOdd =
    isForm &&
    (new Set(body.map(([name]) => name)).size < body.length ||
      body.some(([, value]) => value instanceof Blob && textOf(value) !== undefined))
  const isUsual = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
  const sample = (make: (request: SampleRequest) => string, language = 'javascript') => ({
    language,
    text: () => make(request)
  })
  return {
    curl: sample(curlSample, 'bash'),
    JavaScript: sample(fetchSample),
    ...(clientPackage !== '' && { TypeScript: sample(each => clientSample(clientPackage, each)) }),
    Python: sample(pythonSample),
    ...(!isForm && { Go: sample(goSample), Java: sample(javaSample) }),
    'C#': sample(csharpSample),
    ...(!isOdd && { PHP: sample(phpSample) }),
    ...(isUsual && { Ruby: sample(rubySample) }),
    ...(!isOdd && isUsual && { PowerShell: sample(powershellSample, 'powershell') }),
    ...((body === undefined || typeof body === 'string') && { HTTP: sample(httpSample, 'http') })
  } as Record<string, { language: string; text: () => string }>
}

declare const React: Untyped
declare const document: Untyped
declare const localStorage: Untyped
