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
export const follow = ({ getStore, layoutActions, layoutSelectors }: System) => {
  const [id = '', tag = '', operationId] = location.hash.slice(1).split('/').map(decodeURIComponent)
  if (id === '' && tag === '') return
  const things = id ? [] : [['operations-tag', tag], ...(operationId ? [['operations', tag, operationId]] : [])]
  // The page's own actions would each add an entry to the history.
  for (const thing of things) getStore().dispatch({ type: 'layout_show', payload: { thing, shown: true } })
  requestAnimationFrame(() => {
    const target = document.getElementById(id || things.at(-1)?.join('-'))
    if (target === null && layoutSelectors.currentFilter()) layoutActions.updateFilter('')
    if (target === null) return
    if (target.tagName === 'DETAILS') target.open = true
    target.querySelector('.models-control[aria-expanded=false]')?.click()
    target.scrollIntoView()
    target.querySelector('summary, button')?.focus({ preventScroll: true })
  })
}

declare const document: Untyped
declare const location: Untyped
declare const addEventListener: Untyped
declare const requestAnimationFrame: Untyped
