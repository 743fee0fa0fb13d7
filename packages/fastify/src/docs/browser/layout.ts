import type { Theme } from './contents.ts'
import { Contents } from './contents.ts'
import { descriptionOf, groupsOf } from './contract.ts'
import { h, region } from './elements.ts'
import { AllSchemas } from './schemas.ts'
import type { System, Untyped } from './untyped.ts'

/** Contents beside the page, the contract's description in sections, operations in groups, and links to all of them. */
export const layout = (theme: Theme) => ({
  wrapComponents: {
    BaseLayout: (Original: Untyped, system: System) => (props: Untyped) => {
      const isLoaded = system.specSelectors.specJson().has('openapi')
      React.useEffect(() => {
        // Swagger UI itself scrolls to operations.
        if (isLoaded && !location.hash.startsWith('#/')) follow(system)
      }, [isLoaded])
      return h('div', { className: 'swagger-ui page' }, [
        h(system.getComponent('SkipToOperations')),
        isLoaded && h(Contents, { system, theme }),
        h('div', { className: 'page-body' }, h(Original, props))
      ])
    },

    InfoUrl: () => () =>
      h('p', { className: 'documents' }, [
        h('a', { href: '../openapi.yaml' }, 'openapi.yaml'),
        h('a', { href: '../openapi.json' }, 'openapi.json'),
        h('a', { href: '#changelog' }, 'Changelog')
      ]),

    // Landmarks for everything outside the operations.
    InfoContainer: (Original: Untyped, system: System) => (props: Untyped) => {
      const sections = descriptionOf(system).sections.map(each => h(Section, { system, ...each }))
      return region('Description', [h(Original, props), sections])
    },
    errors: (Original: Untyped) => (props: Untyped) =>
      props.errSelectors.allErrors().size > 0 ? region('Errors', h(Original, props)) : null,
    AuthorizeBtnContainer: (Original: Untyped) => (props: Untyped) => region('Authorization', h(Original, props)),

    operations: inGroups,

    Models: (_Original: Untyped, system: System) => () => [
      h(AllSchemas, { key: 'schemas', system }),
      h(Changelog, { key: 'changelog', system })
    ]
  },
  statePlugins: {
    spec: {
      wrapSelectors: {
        // The rest of the description is in sections of its own.
        selectInfoDescriptionField: (_original: Untyped, system: System) => () => descriptionOf(system).intro
      }
    },
    layout: {
      wrapActions: {
        // Swagger UI would take the name of a section for a tag.
        parseDeepLinkHash: (original: Untyped) => (hash: string) => (hash.startsWith('#/') ? original(hash) : undefined)
      }
    }
  },
  afterLoad: followLinks
})

/** The operations in the groups of the contract. */
export const inGroups = (Original: Untyped, system: System) => (props: Untyped) =>
  groupsOf(system).map(({ id, name, tags }, index) => {
    const taggedOperations = () =>
      system.specSelectors.taggedOperations().filter((_: unknown, tag: string) => tags.includes(tag))
    return h('section', { key: id, id }, [
      // Tags are h3.
      name ? h('h2', { className: 'group' }, name) : index === 0 && h('h2', { className: 'unseen' }, 'Operations'),
      h(Original, { ...props, specSelectors: { ...props.specSelectors, taggedOperations } })
    ])
  })

export const Section = ({ system, id, title, text, ...props }: Untyped) =>
  h('details', { ...props, id, className: 'section' }, [
    h('summary', null, h('h2', null, title)),
    h(system.getComponent('Markdown', true), { source: text })
  ])

export const Changelog = ({ system }: Untyped) => {
  const [text, setText] = React.useState()
  const onToggle = async () => {
    if (text !== undefined) return
    const response = await fetch('../changelog.md').catch(error => error)
    setText(response.ok ? (await response.text()).replace(/^.*?(?=^## )/ms, '') : 'The changelog could not be loaded.')
  }
  // Loading has made the section grow since the page scrolled to it.
  React.useEffect(() => {
    if (text !== undefined && location.hash === '#changelog') follow(system)
  }, [text])
  return h(Section, { system, id: 'changelog', title: 'Changelog', text: text ?? 'Loading …', onToggle })
}

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
    target.scrollIntoView()
    target.querySelector('summary, button')?.focus({ preventScroll: true })
  })
}

declare const React: Untyped
declare const location: Untyped
declare const document: Untyped
declare const addEventListener: Untyped
declare const requestAnimationFrame: Untyped
