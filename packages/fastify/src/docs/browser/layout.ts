import type { Theme } from './contents.ts'
import { Contents } from './contents.ts'
import { descriptionOf, groupsOf, linkTo, operationIn, titleOf } from './contract.ts'
import { h, region, withLinks, withProps } from './elements.ts'
import { History } from './history.ts'
import { follow, followLinks } from './links.ts'
import { AllSchemas } from './schemas.ts'
import { About, Start } from './start-here.ts'
import type { System, Untyped } from './untyped.ts'

/** Contents beside the page, the contract's description in sections, operations in groups, and links to all of them. */
export const layout = (theme: Theme) => ({
  wrapComponents: {
    BaseLayout: (Original: Untyped, system: System) => (props: Untyped) => {
      const isLoaded = system.specSelectors.specJson().has('openapi')
      React.useEffect(() => {
        if (isLoaded) follow(system)
      }, [isLoaded])
      return h('div', { className: 'swagger-ui page' }, [
        h(system.getComponent('SkipToOperations')),
        isLoaded && h(Contents, { system, theme }),
        h('div', { className: 'page-body' }, h(Original, props))
      ])
    },

    // Landmarks for everything outside the operations.
    InfoContainer: (_Original: Untyped, system: System) => () => region('About', h(About, { system })),
    // Swagger UI's own filter searches tags and paths only; in its place stands what to read before the operations.
    FilterContainer: (_Original: Untyped, system: System) => () => [
      h(Start, { key: 'start', system }),
      h(Articles, { key: 'articles', system })
    ],
    errors: (Original: Untyped) => (props: Untyped) =>
      props.errSelectors.allErrors().size > 0 ? region('Errors', h(Original, props)) : null,
    AuthorizeBtnContainer: () => () => null,

    Markdown: withProps(({ source }) => (typeof source === 'string' ? { source: withLinks(source) } : {})),

    operations: inGroups,

    Models: (_Original: Untyped, system: System) => () => [
      h(History, { key: 'history', system }),
      h(AllSchemas, { key: 'schemas', system }),
      h(Changelog, { key: 'changelog', system })
    ]
  },
  statePlugins: {
    layout: {
      wrapActions: {
        // Swagger UI decodes the names before it splits them at slashes, and takes the name of a section for a tag.
        parseDeepLinkHash: () => () => undefined
      }
    }
  },
  afterLoad: followLinks
})

/** The operations in the groups of the contract. Each has its place in the document, also where Swagger UI would leave out rows. */
export const inGroups = (_Original: Untyped, system: System) => () => {
  const all = system.specSelectors.taggedOperations()
  const isShort = all.valueSeq().reduce((sum: number, each: Untyped) => sum + each.get('operations').size, 0) <= 100
  return groupsOf(system).map(({ id, name, tags }) => {
    const isOne = name !== '' && tags.length === 1
    return h('section', { key: id, id, className: 'group' }, [
      name !== '' && !isOne && h('h2', { tabIndex: -1 }, name),
      tags.map(tag =>
        h(Tag, {
          key: tag,
          system,
          tag,
          all,
          isShort,
          name: isOne ? name : titleOf(system, tag),
          isIn: name !== '' && !isOne
        })
      )
    ])
  })
}

/** The operations of a tag; the only one of a group has the name of the group. */
export const Tag = ({ system, tag, all, isShort, name, isIn }: Untyped) => {
  const details = all.getIn([tag, 'tagDetails'])
  const description = details?.get('description')
  const more = details?.get('externalDocs')
  const href = more && URL.parse(more.get('url'), system.specSelectors.url())?.href
  return h('div', { id: linkTo(tag).slice(1), className: 'tag', 'data-tag': tag }, [
    h(isIn ? 'h3' : 'h2', { tabIndex: -1 }, name),
    description && h(system.getComponent('Markdown', true), { source: description }),
    href && /^https?:/.test(href) && h('p', null, h('a', { href }, more.get('description') ?? href)),
    all
      .getIn([tag, 'operations'])
      .toArray()
      .map((entry: Untyped) => h(Row, { key: entry.get('id'), system, tag, entry, isShort }))
  ])
}

/** An operation, drawn when it is open or comes near the screen: to draw thousands would take seconds. */
export const Row = ({ system, tag, entry, isShort }: Untyped) => {
  const element = React.useRef()
  const { path, method, operationId, href } = operationIn(system, tag)(entry)
  const [isNear, setNear] = React.useState(isShort)
  const isDrawn = isNear || system.layoutSelectors.isShown(['operations', tag, operationId])
  React.useEffect(() => {
    if (isDrawn) return setNear(true)
    const observer = new IntersectionObserver(([{ isIntersecting }]: Untyped) => isIntersecting && setNear(true), {
      rootMargin: '500px'
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isDrawn])
  const operation = { op: entry, path, method, tag, specPath: entry.get('specPath') }
  return h('div', { ref: element, id: href.slice(1), className: 'operation-row' }, [
    isDrawn && h(system.getComponent('OperationContainer', true), operation)
  ])
}

/** The sections of the contract's description. */
export const Articles = ({ system }: Untyped) => {
  const { sections } = descriptionOf(system)
  if (sections.length === 0) return null
  const Markdown = system.getComponent('Markdown', true)
  const article = ({ id, title, text }: Untyped) =>
    h('section', { id, className: 'article' }, [h('h2', { tabIndex: -1 }, title), h(Markdown, { source: text })])
  return region('Description', sections.map(article))
}

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

declare const React: Untyped
declare const location: Untyped
declare const IntersectionObserver: Untyped
