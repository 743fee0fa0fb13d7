import type { System, Untyped } from './untyped.ts'

/** An element with its children: one, or a list, also of lists. */
export const h = (type: unknown, props?: object | null, children: unknown = []) =>
  React.createElement(type, props, ...[children].flat(Number.POSITIVE_INFINITY))

/** Wraps a component of Swagger UI, which then gets these properties too. */
export const withProps = (more: (props: Untyped) => object) => (Original: Untyped) => (props: Untyped) =>
  h(Original, { ...props, ...more(props) })

/** Wraps a component of Swagger UI, and shows what is returned after it. */
export const withMore =
  (more: (system: System, props: Untyped) => unknown) => (Original: Untyped, system: System) => (props: Untyped) =>
    h(React.Fragment, null, [h(Original, props), more(system, props)])

/** A landmark. */
export const region = (name: string, children: unknown) =>
  h('div', { role: 'region', 'aria-label': name, className: 'wrapper' }, children)

/** Gives all form controls within, except those in an inner `Labelled`, the same name for assistive technology. */
export const Labelled = ({ name, children }: Untyped) => {
  const element = React.useRef()
  // After each update, since Swagger UI adds controls to lists later.
  React.useEffect(() => {
    for (const control of element.current.querySelectorAll('input, select, textarea'))
      if (control.closest('.labelled') === element.current) control.setAttribute('aria-label', name)
  })
  return h('div', { ref: element, className: 'labelled' }, children)
}

/** A path that may break across lines before its slashes. */
export const breakable = (path: string) =>
  path.split(/(?=\/)/).flatMap((part, index) => (index > 0 ? [h('wbr'), part] : [part]))

/** Markdown on one line: code is kept, links become text. */
export const inline = (markdown = '') =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/\s+/g, ' ')
    .split('`')
    .map((part, index) => (index % 2 === 1 ? h('code', null, part) : part))

/** Markdown whose bare URLs are links, except in code and in links. */
export const withLinks = (markdown: string) =>
  markdown
    .split(/(```[\s\S]*?```|`[^`]*`|^(?: {4}|\t).*$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/(?<!\]\(|\]:\s*|[<"'=[\w/])https?:\/\/[^\s<>()[\]"'`]*[^\s<>()[\]"'`.,;:!?*_]/g, '<$&>')
    )
    .join('')

/** A choice, shown only where there is one. */
export const Choice = ({ label, options, value, onChange }: Untyped) => {
  if (options.length < 2) return null
  const all = options.map(([key, text]: [string, string]) => h('option', { value: key }, text))
  return h('label', { className: 'choice' }, [
    h('span', null, label),
    h('select', { value, onChange: (event: Untyped) => onChange(event.target.value) }, all)
  ])
}

declare const React: Untyped
