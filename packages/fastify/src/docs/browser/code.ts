import { h } from './elements.ts'
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
  const { children, language, downloadable, fileName } = props
  const className = `${props.className ?? ''} ${downloadable ? 'wraps' : ''}`
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
