import { h } from './elements.ts'
import type { Untyped } from './untyped.ts'

/** A dialog that keeps the focus, and gives it back when it is closed. */
export const Dialog = ({ name, className = '', close, children }: Untyped) => {
  const dialog = React.useRef()
  const [opener] = React.useState(() => document.activeElement)
  // At once: what is chosen in the dialog may take the focus then.
  React.useLayoutEffect(() => {
    const { current } = dialog
    ;(current.querySelector('input') ?? current.querySelector('button')).focus()
    return () => opener?.focus()
  }, [])
  // After each update, since what had the focus may be gone.
  React.useEffect(() => {
    if (!dialog.current.contains(document.activeElement)) dialog.current.querySelector('button').focus()
  })
  const onKeyDown = (event: Untyped) => {
    if (event.key === 'Escape') close()
    const inside = dialog.current.querySelectorAll('button, input, select, a[href]')
    const ends = [inside[0], inside[inside.length - 1]]
    const [from, to] = event.shiftKey ? ends : ends.toReversed()
    if (event.key !== 'Tab' || document.activeElement !== from) return
    event.preventDefault()
    to.focus()
  }
  const attributes = { ref: dialog, role: 'dialog', 'aria-modal': true, 'aria-label': name, onKeyDown }
  return h('div', { ...attributes, className: `dialog ${className}` }, [
    h('div', { className: 'dialog-ground', onClick: close }),
    h('div', { className: 'dialog-body' }, children)
  ])
}

/** The heading of a dialog, and the button that closes it. */
export const dialogHead = (title: string, close: () => void) =>
  h('div', { className: 'dialog-head' }, [
    h('h2', null, title),
    h('button', { type: 'button', className: 'small-button', onClick: close }, 'Close')
  ])

declare const React: Untyped
declare const document: Untyped
