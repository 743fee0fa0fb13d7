/**
 * The script of the documentation page: plugins for Swagger UI. The browser gets the source text of this module's
 * exports, in one scope, and then calls `start`: all of them are functions, and use nothing but each other.
 */
export const start = () => {
  // Before anything is drawn.
  const theme = createTheme()
  const plugins = [largeIntegers(), layout(theme), operationNotes(), tryOut()]
  // For the initializer of @fastify/swagger-ui.
  const docsAdditions = ({ React }: System) => {
    Object.assign(globalThis, { React })
    return plugins
  }
  // Otherwise a library in Swagger UI handles links within the page, and misses those whose targets it does not find.
  Object.assign(globalThis, { docsAdditions, noZensmooth: true })
  // The initializer would take a query for part of the page's path.
  if (location.search !== '') history.replaceState(history.state, '', location.pathname + location.hash)
}

/** The reader's choice, otherwise the system's. */
export const createTheme = () => {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (localStorage.getItem('docs-theme') ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark'
  const apply = () => document.documentElement.classList.toggle('dark-mode', isDark())
  const toggle = () => {
    localStorage.setItem('docs-theme', isDark() ? 'light' : 'dark')
    apply()
  }
  const onSystemChange = (listener: () => void) => prefersDark.addEventListener('change', listener)
  apply()
  onSystemChange(apply)
  return { isDark, toggle, onSystemChange }
}

/** Large integers as written: Swagger UI uses JSON.parse, which rounds them. */
export const largeIntegers = () => {
  // Those of the contract, from rounded to written.
  const written = new Map<string, string>()
  const keepDigits = (text: string) =>
    JSON.parse(text, (_key, value, { source }: { source?: string } = {}) => {
      if (source === undefined || !/^-?\d{16,}$/.test(source)) return value
      const rounded = String(value)
      // Two that round alike cannot be told apart.
      written.set(rounded, (written.get(rounded) ?? source) === source ? source : rounded)
      return value
    })
  const asWritten = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, found => written.get(found) ?? found)
  return {
    wrapComponents: {
      ParameterExt: withProps(({ xVal }) => ({ xVal: asWritten(String(xVal)) })),

      JSONSchema202012KeywordConstraint: withProps(({ constraint }) => ({
        constraint: { ...constraint, value: asWritten(constraint.value) }
      })),

      responseBody: exactBody
    },
    statePlugins: {
      spec: {
        wrapActions: {
          updateSpec: (original: Untyped) => (text: string) => {
            keepDigits(text)
            return original(text)
          }
        }
      }
    },
    afterLoad({ fn }: System) {
      const { getSampleSchema } = fn
      fn.getSampleSchema = (...values: unknown[]) => {
        const sample = getSampleSchema(...values)
        return typeof sample === 'string' ? asWritten(sample) : sample
      }
    }
  }
}

/** A response body with its numbers as sent. */
export const exactBody = (Original: Untyped, system: System) => (props: Untyped) => {
  const { content, contentType = '' } = props
  const original = h(Original, props)
  if (typeof content !== 'string' || !/json/i.test(contentType) || !/\d{16}/.test(content)) return original
  try {
    const digits = (_key: string, value: unknown, { source }: { source?: string }) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
    const text = JSON.stringify(JSON.parse(content, digits), null, 2)
    const shown = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true }
    return h('div', null, [h('h5', null, 'Response body'), h(system.getComponent('HighlightCode', true), shown, text)])
  } catch {
    // Not JSON, or a browser without the source of numbers.
    return original
  }
}

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

    InfoContainer: withMore(system => descriptionOf(system).sections.map(each => h(Section, { system, ...each }))),

    operations: inGroups,

    Models: (Original: Untyped, system: System) => (props: Untyped) =>
      h(React.Fragment, null, [h('div', { id: 'schemas' }, h(Original, props)), h(Changelog, { system })])
  },
  statePlugins: {
    spec: {
      wrapSelectors: {
        // The rest is in sections of its own.
        selectInfoDescriptionField: (_original: Untyped, system: System) => () => descriptionOf(system).intro
      }
    },
    layout: {
      wrapActions: {
        // The name of a section would be taken for a tag.
        parseDeepLinkHash: (original: Untyped) => (hash: string) => (hash.startsWith('#/') ? original(hash) : undefined)
      }
    }
  },
  afterLoad: followLinks
})

/** The operations in the groups of the contract. */
export const inGroups = (Original: Untyped, system: System) => (props: Untyped) =>
  groupsOf(system).map(({ id, name, tags }) => {
    const taggedOperations = () =>
      system.specSelectors.taggedOperations().filter((_: unknown, tag: string) => tags.includes(tag))
    return h('section', { key: id, id }, [
      name && h('h2', { className: 'group' }, name),
      h(Original, { ...props, specSelectors: { ...props.specSelectors, taggedOperations } })
    ])
  })

export const Contents = ({ system, theme }: Untyped) => {
  const [isOpen, setOpen] = React.useState(false)
  const operations = operationsOf(system)
  const link = (href: string, text: string) => h('li', null, h('a', { href }, text))
  const toggle = {
    type: 'button',
    'aria-expanded': isOpen,
    'aria-controls': 'contents',
    className: 'contents-button contents-open',
    onClick: () => setOpen(!isOpen)
  }
  return h('nav', { className: 'contents', 'aria-label': 'Contents' }, [
    h('div', { className: 'contents-bar' }, [
      h('a', { className: 'contents-title', href: '#' }, system.specSelectors.info().get('title')),
      h(ThemeButton, { theme }),
      h('button', toggle, 'Contents')
    ]),
    h('ul', { id: 'contents', className: isOpen ? 'is-open' : '', onClick: () => setOpen(false) }, [
      descriptionOf(system).sections.map(({ id, title }) => link(`#${id}`, title)),
      groupsOf(system).map(({ id, name, tags }) => {
        const entries = tags.flatMap(tag => operations.filter(each => each.tag === tag).map(contentsEntry))
        return h('li', { className: 'contents-group' }, [
          name && h('a', { href: `#${id}` }, name),
          h('ul', null, entries)
        ])
      }),
      link('#schemas', 'Schemas'),
      link('#changelog', 'Changelog')
    ])
  ])
}

export const ThemeButton = ({ theme }: { theme: Theme }) => {
  const [isDark, setDark] = React.useState(theme.isDark)
  const update = () => setDark(theme.isDark())
  const onClick = () => {
    theme.toggle()
    update()
  }
  React.useEffect(() => theme.onSystemChange(update), [])
  return h('button', { type: 'button', className: 'contents-button', onClick }, isDark ? 'Light mode' : 'Dark mode')
}

export const contentsEntry = ({ href, method, summary, mark }: Operation) =>
  h('li', { className: 'contents-operation' }, [
    h('span', { className: 'contents-method' }, method),
    h('a', { href, className: mark }, summary),
    mark && h('span', { className: 'mark' }, mark)
  ])

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
  // The section has grown since the page scrolled to it.
  React.useEffect(() => {
    if (text !== undefined && location.hash === '#changelog') follow(system)
  }, [text])
  return h(Section, { system, id: 'changelog', title: 'Changelog', text: text ?? 'Loading …', onToggle })
}

/** Marks deprecated and unstable operations, and says what the marks mean. */
export const operationNotes = () => ({
  wrapComponents: {
    OperationSummaryPath: withMore((system, { operationProps }) => {
      const mark = find(system, operationProps.toObject())?.mark
      return mark && h('span', { className: 'mark' }, mark)
    }),

    OperationSummary: withMore((system, { isShown, operationProps }) => {
      const operation = isShown && find(system, operationProps.toObject())
      return operation && h(Notice, { system, operation })
    })
  }
})

export const find = (system: System, { path, method }: Untyped) =>
  operationsOf(system).find(each => each.path === path && each.method === method)

/** Since when the operation is deprecated, until when it works, and what to use instead. */
export const Notice = ({ system, operation }: { system: System; operation: Operation }) => {
  if (operation.mark === undefined) return null
  if (operation.mark !== 'deprecated') {
    const { mark, 'x-hideTryItPanel': isHidden } = operation
    const what = `${mark[0]?.toUpperCase()}${mark.slice(1)}: it may change at any time.`
    return h('p', { className: 'notice' }, [what, isHidden && ' You cannot try it out here.'])
  }
  const since = operation['x-deprecated-since']
  const until = operation['x-deprecated-sunset'] ?? operation['x-sunset']
  const instead = operationsOf(system).find(each => each.operationId === operation['x-replaced-by'])
  return h('p', { className: 'notice' }, [
    h('strong', null, 'Deprecated'),
    since && ` since ${day(since)}`,
    '.',
    until && ` It works until ${day(until)}, and may be removed after that.`,
    instead && [
      ' Use ',
      h('a', { href: instead.href }, `${instead.method.toUpperCase()} ${instead.path}`),
      ` (${instead.summary}) instead.`
    ]
  ])
}

/** What is needed to try out operations: a server, the key, and the next page of a list. */
export const tryOut = () => ({
  wrapComponents: {
    ServersContainer: reachableServer,

    authorizationPopup: authorizationDialog,

    // Swagger UI shows it before it has resolved the operation; pressed then, it fails for good.
    execute: withProps(({ disabled, operation }) => ({ disabled: disabled || operation.isEmpty() })),

    // Swagger UI warns of each format of items that it has no input for, and then uses the plain one.
    JsonSchema_array: withProps(({ getComponent }) => ({
      getComponent: (name: string, container: unknown, options: object) =>
        getComponent(name, container, { ...options, failSilently: true })
    })),

    liveResponse: withMore((system, props) => h(NextPage, { ...props, system }))
  },
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor:
          (original: Untyped, { specSelectors }: System) =>
          (_state: unknown, path: string, method: string) =>
            original(path, method) &&
            specSelectors.specJson().getIn(['paths', path, method, 'x-hideTryItPanel']) !== true
      }
    }
  }
})

// The content security policy allows requests to the page's own server only.
export const reachableServer = (Original: Untyped) => (props: Untyped) => {
  const { specSelectors, oas3Selectors, oas3Actions } = props
  const servers: { url: string; description?: string }[] = specSelectors.servers().toJS()
  const urlOf = ({ url }: { url: string }) => URL.parse(url, specSelectors.url())
  const [here, ...more] = servers.filter(each => urlOf(each)?.origin === location.origin)
  React.useEffect(() => {
    if (here !== undefined && oas3Selectors.selectedServer() === undefined) oas3Actions.setSelectedServer(here.url)
  })
  if (here === undefined || more.length > 0) return h(Original, props)
  return h(
    'dl',
    { className: 'addresses' },
    [here, ...servers.filter(each => each !== here)].map(server => [
      h('dt', null, server.description ?? 'Server'),
      h('dd', null, [
        h('code', null, urlOf(server)?.href ?? server.url),
        server === here && ' – receives the requests that you try out here'
      ])
    ])
  )
}

export const authorizationDialog = (Original: Untyped) => (props: Untyped) => {
  const dialog = React.useRef()
  const [opener] = React.useState(() => document.activeElement)
  React.useEffect(() => () => opener?.focus(), [])
  const keepInside = (event: Untyped) => {
    const inside = dialog.current.querySelectorAll('button, input, a[href]')
    const [from, to] = event.shiftKey ? [inside[0], inside[inside.length - 1]] : [inside[inside.length - 1], inside[0]]
    if (event.key !== 'Tab' || document.activeElement !== from) return
    event.preventDefault()
    to.focus()
  }
  const attributes = { ref: dialog, role: 'dialog', 'aria-modal': true, 'aria-label': 'Authorize' }
  return h('div', { ...attributes, onKeyDown: keepInside }, h(Original, props))
}

/** Requests the next page, by the response's `Link` header. */
export const NextPage = ({ system, path, method, response }: Untyped) => {
  const { link } = response.get('headers')?.toJS() ?? {}
  const [, target] = /<([^>]*)>[^,]*;\s*rel="?next"?\s*(?:[,;]|$)/i.exec(link ?? '') ?? []
  if (target === undefined) return null
  const current = new URL(response.get('url'))
  const next = new URL(target, current)
  const changed = [...next.searchParams].filter(([name, value]) => current.searchParams.get(name) !== value)
  const requestNext = () => {
    const { specActions, specSelectors } = system
    const operation = specSelectors.specResolvedSubtree(['paths', path, method])
    for (const parameter of operation.get('parameters') ?? [])
      if (parameter.get('in') === 'query')
        specActions.changeParamByIdentity([path, method], parameter, next.searchParams.get(parameter.get('name')))
    specActions.execute({ operation, path, method })
  }
  return h('p', { className: 'next-page' }, [
    h('button', { type: 'button', className: 'btn', onClick: requestNext }, 'Next page'),
    changed.map(([name, value]) => h('span', null, [`${name} `, h('code', null, value)]))
  ])
}

/** An element with its children: one, or a list, also of lists. */
export const h = (type: unknown, props?: object | null, children: unknown = []) =>
  React.createElement(type, props, ...[children].flat(Number.POSITIVE_INFINITY))

/** Wraps a component of Swagger UI: it gets these properties too. */
export const withProps = (more: (props: Untyped) => object) => (Original: Untyped) => (props: Untyped) =>
  h(Original, { ...props, ...more(props) })

/** Wraps a component of Swagger UI: what is returned follows it. */
export const withMore =
  (more: (system: System, props: Untyped) => unknown) => (Original: Untyped, system: System) => (props: Untyped) =>
    h(React.Fragment, null, [h(Original, props), more(system, props)])

export const slug = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** The contract's description, split at its headings. */
export const descriptionOf = ({ specSelectors }: System) => {
  const [intro, ...sections] = String(specSelectors.specJson().getIn(['info', 'description'], '')).split(/^## /m)
  return {
    intro,
    sections: sections.map(section => {
      const end = section.indexOf('\n')
      return { id: slug(section.slice(0, end)), title: section.slice(0, end), text: section.slice(end) }
    })
  }
}

export const operationsOf = ({ specSelectors }: System): Operation[] =>
  specSelectors
    .taggedOperations()
    .entrySeq()
    .toArray()
    .flatMap(([tag, tagged]: Untyped) => tagged.get('operations').map(operationIn(tag)).toArray())

export const operationIn = (tag: string) => (entry: Untyped) => {
  const { path, method, operation, id } = entry.toJS()
  const { operationId = id, summary = path } = operation
  const stability = operation['x-stability'] ?? operation['x-stability-level'] ?? 'stable'
  const mark = operation.deprecated ? 'deprecated' : stability === 'stable' ? undefined : stability
  const href = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`
  return { ...operation, tag, path, method, operationId, summary, mark, href }
}

/** The groups of `x-tagGroups`, and last the tags in none. */
export const groupsOf = ({ specSelectors }: System) => {
  const tags: string[] = specSelectors.taggedOperations().keySeq().toArray()
  const groups: { name: string; tags: string[] }[] = specSelectors.specJson().get('x-tagGroups')?.toJS() ?? []
  const others = tags.filter(tag => !groups.some(group => group.tags.includes(tag)))
  return [...groups, { name: '', tags: others }]
    .map(group => ({ ...group, id: `group-${slug(group.name)}`, tags: group.tags.filter(tag => tags.includes(tag)) }))
    .filter(group => group.tags.length > 0)
}

export const day = (date: string) =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

export const followLinks = (system: System) => {
  addEventListener('hashchange', () => follow(system))
  const beforeClick = ({ target }: Untyped) => {
    const link = target.closest('a[href^="#"]:not(.nostyle)')
    // Swagger UI opens all links of descriptions in a new window.
    link?.removeAttribute('target')
    if (link?.hash === location.hash) follow(system)
  }
  addEventListener('click', beforeClick, true)
}

/** Opens and scrolls to what the fragment of the URL names: an operation, a tag, a group or a section. */
export const follow = ({ getStore }: System) => {
  const [id = '', tag = '', operationId] = location.hash.slice(1).split('/').map(decodeURIComponent)
  if (id === '' && tag === '') return
  const things = id ? [] : [['operations-tag', tag], ...(operationId ? [['operations', tag, operationId]] : [])]
  // Not by the page's own actions, which would each add an entry to the history.
  for (const thing of things) getStore().dispatch({ type: 'layout_show', payload: { thing, shown: true } })
  requestAnimationFrame(() => {
    const target = document.getElementById(id || things.at(-1)?.join('-'))
    if (target === null) return
    if (target.tagName === 'DETAILS') target.open = true
    target.querySelector('.models-control[aria-expanded=false]')?.click()
    target.scrollIntoView()
    target.querySelector('summary, button')?.focus({ preventScroll: true })
  })
}

interface Operation {
  tag: string
  path: string
  method: string
  operationId: string
  summary: string
  href: string
  mark: string | undefined
  'x-hideTryItPanel'?: boolean
  'x-deprecated-since'?: string
  'x-deprecated-sunset'?: string
  'x-sunset'?: string
  'x-replaced-by'?: string
}

type Theme = ReturnType<typeof createTheme>

// biome-ignore lint/suspicious/noExplicitAny: the project is compiled without types of Swagger UI, React and the DOM
type Untyped = any
/** What Swagger UI passes to a plugin. */
type System = Untyped
/** That of Swagger UI. */
declare const React: Untyped
declare const history: Untyped
declare const document: Untyped
declare const localStorage: Untyped
declare const location: Untyped
declare const matchMedia: Untyped
declare const addEventListener: Untyped
declare const requestAnimationFrame: Untyped
