import { linkTo } from './contract.ts'
import type { System, Untyped } from './untyped.ts'

export const followLinks = (system: System) => {
  addEventListener('hashchange', () => follow(system))
  const beforeClick = ({ target }: Untyped) => {
    const link = target.closest('a[href^="#"]:not(.nostyle)')
    // Swagger UI opens all links in descriptions in a new window.
    link?.removeAttribute('target')
    if (link?.hash === location.hash) follow(system)
  }
  addEventListener('click', beforeClick, true)
}

/** Opens and scrolls to what the fragment of the URL names: an operation, a tag, a group or a section. */
export const follow = ({ getStore }: System) => {
  const [section = '', tag = '', operationId] = location.hash.slice(1).split('/').map(decoded)
  if (section === '' && tag === '') return
  const names = operationId ? [tag, operationId] : [tag]
  // The page's own action would add an entry to the history.
  if (operationId)
    getStore().dispatch({ type: 'layout_show', payload: { thing: ['operations', ...names], shown: true } })
  const show = () => {
    const target = document.getElementById(section || linkTo(...names).slice(1))
    if (target === null) return
    if (target.tagName === 'DETAILS') target.open = true
    target.scrollIntoView()
    target.querySelector('[tabindex="-1"], summary, button')?.focus({ preventScroll: true })
  }
  requestAnimationFrame(show)
}

export const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

declare const location: Untyped
declare const document: Untyped
declare const addEventListener: Untyped
declare const requestAnimationFrame: Untyped
