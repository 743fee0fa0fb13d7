import { h } from './elements.ts'
import { clientSample, hasClientServer, isClientOperation } from './sample-client.ts'
import { curlSample, fetchSample } from './sample-code.ts'
import { sampleRequest } from './sample-request.ts'
import type { System, Untyped } from './untyped.ts'

/** A text in a scrolling block, with buttons to copy and, with `fileName`, to download it. Of a long one, the beginning is shown. */
export const Code = ({ system, text, language, label, className = '', fileName }: Untyped) => {
  const [whole, setWhole] = React.useState()
  const limit = 100_000
  // Colours would take seconds, and millions of elements.
  const isLong = text.length > limit
  const shown = isLong && whole !== text ? text.slice(0, text.lastIndexOf('\n', limit) + 1 || limit) : text
  const rest = Math.ceil((text.length - shown.length) / 1000)
  const highlighter = system.getComponent('SyntaxHighlighter', true)
  // What scrolls must be reachable with the keyboard.
  const block = { className: `highlight-code ${className}`, tabIndex: 0, role: 'group', 'aria-label': label }
  const download = () => {
    const url = URL.createObjectURL(new Blob([text]))
    Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return h('div', { className: 'code' }, [
    h(
      'div',
      block,
      isLong
        ? h('pre', { className: 'microlight' }, shown)
        : h(highlighter, { language, className: 'microlight' }, shown)
    ),
    h('div', { className: 'code-actions' }, [
      h(CopyButton, { text, name: `Copy: ${label}` }),
      fileName && h('button', { type: 'button', className: 'small-button', onClick: download }, 'Download'),
      rest > 0 &&
        h(
          'button',
          { type: 'button', className: 'small-button', onClick: () => setWhole(text) },
          `Show the other ${rest} kB`
        )
    ])
  ])
}

/** Replaces Swagger UI's code block, whose buttons cover the code. */
export const codeBlock = (_Original: Untyped, system: System) => (props: Untyped) => {
  const { children, language, className, downloadable, fileName } = props
  // Only received bodies can be downloaded.
  const label = downloadable ? 'response body' : 'example'
  return h(Code, { system, text: children, language, className, label, fileName: downloadable && fileName })
}

export const CopyButton = ({ text, name }: { text: string; name: string }) => {
  const [isCopied, setCopied] = React.useState(false)
  const onClick = async () => {
    setCopied(await copy(text))
    setTimeout(() => setCopied(false), 2000)
  }
  return h(React.Fragment, null, [
    h(
      'button',
      { type: 'button', className: 'small-button', 'aria-label': name, onClick },
      isCopied ? 'Copied' : 'Copy'
    ),
    h('span', { role: 'status', className: 'unseen' }, isCopied ? 'Copied' : '')
  ])
}

export const copy = async (text: string): Promise<boolean> => {
  // Only pages over HTTPS or on localhost have it.
  if (navigator.clipboard !== undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false
    )
  const before = document.activeElement
  const area = Object.assign(document.createElement('textarea'), { value: text })
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  before?.focus()
  return isCopied
}

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
declare const navigator: Untyped
declare const localStorage: Untyped
