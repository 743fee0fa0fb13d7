import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** A text in a scrolling block, with buttons to copy and, with `fileName`, to download it. */
export const Code = ({ system, text, language, label, className = '', fileName }: Untyped) => {
  const highlighter = system.getComponent('SyntaxHighlighter', true)
  // What scrolls must be reachable with the keyboard.
  const block = { className: `highlight-code ${className}`, tabIndex: 0, role: 'group', 'aria-label': label }
  const download = () => {
    const url = URL.createObjectURL(new Blob([text]))
    Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return h('div', { className: 'code' }, [
    h('div', block, h(highlighter, { language, className: 'microlight' }, text)),
    h('div', { className: 'code-actions' }, [
      h(CopyButton, { text, name: `Copy: ${label}` }),
      fileName && h('button', { type: 'button', className: 'small-button', onClick: download }, 'Download')
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

declare const React: Untyped
declare const document: Untyped
declare const navigator: Untyped
