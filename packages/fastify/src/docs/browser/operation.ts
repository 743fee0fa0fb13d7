import { CopyButton } from './code.ts'
import { allOperationsOf, day, markOf } from './contract.ts'
import { breakable, h, withMore } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** The line of an operation, with marks of deprecated and unstable ones, and below it what the marks mean. */
export const operationLines = () => ({
  wrapComponents: {
    // Swagger UI's own contains a link, which is not allowed in a button.
    OperationSummaryPath: (_Original: Untyped, system: System) => (props: Untyped) => {
      const { deprecated, path, method } = props.operationProps.toObject()
      const mark = markIn(system, path, method)
      const className = deprecated ? 'opblock-summary-path__deprecated' : 'opblock-summary-path'
      return h(React.Fragment, null, [
        h('span', { className, 'data-path': path }, h('span', null, breakable(path))),
        mark && h('span', { className: 'mark' }, mark)
      ])
    },

    // The headings within an operation are below this one.
    OperationSummary: withMore((system, { isShown, operationProps }) => {
      const { path, method } = operationProps.toObject()
      return isShown && [h('h3', { className: 'unseen' }, `${method} ${path}`), h(Notice, { system, path, method })]
    }),

    CopyToClipboardBtn: () => (props: Untyped) =>
      h('div', { className: 'copy-path' }, h(CopyButton, { text: props.textToCopy, name: `Copy ${props.textToCopy}` }))
  }
})

export const markIn = ({ specSelectors }: System, path: string, method: string) => {
  const operation = specSelectors.specJson().getIn(['paths', path, method])
  return operation === undefined ? undefined : markOf(operation)
}

/** Since when the operation is deprecated, until when it works, and what to use instead. */
export const Notice = ({ system, path, method }: Untyped) => {
  const mark = markIn(system, path, method)
  if (mark === undefined) return null
  const operation = system.specSelectors.specJson().getIn(['paths', path, method])
  if (mark !== 'deprecated') {
    const what = `${mark[0]?.toUpperCase()}${mark.slice(1)}: it may change at any time.`
    return h('p', { className: 'notice' }, [what, operation.get('x-hideTryItPanel') && ' You cannot try it out here.'])
  }
  const since = operation.get('x-deprecated-since')
  const until = operation.get('x-deprecated-sunset') ?? operation.get('x-sunset')
  const replacement = operation.get('x-replaced-by')
  const instead = replacement && allOperationsOf(system).find(each => each.operationId === replacement)
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

declare const React: Untyped
