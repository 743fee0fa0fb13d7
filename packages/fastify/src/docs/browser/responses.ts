import { Code, codeBlock } from './code.ts'
import { Choice, h, inline } from './elements.ts'
import { LiveResponse } from './live-response.ts'
import { Samples } from './samples.ts'
import type { System, Untyped } from './untyped.ts'

/** Responses and code as this page shows them. */
export const responsesOnLines = () => ({ wrapComponents: { responses, HighlightCode: codeBlock } })

/** Replaces Swagger UI's table: shows successful responses, and a line that opens for each other one. */
export const responses = (_Original: Untyped, system: System) => (props: Untyped) => {
  const { tryItOutResponse: live, path, method, specPath } = props
  const all: Entry[] = props.responses
    .entrySeq()
    .toArray()
    .filter(([status]: Entry) => !status.startsWith('x-'))
  const shared = sharedHeaders(all)
  const isOpen = (status: string) => (all.some(([each]) => isSuccess(each)) ? isSuccess(status) : status === 'default')
  return h('div', { className: 'responses-wrapper' }, [
    // No samples of callbacks, which the service itself sends.
    specPath.size === 4 && specPath.first() === 'paths' && h(Samples, { system, path, method }),
    h(LiveResponse, { system, response: live, path, method }),
    h('section', { className: 'responses' }, [
      all.length > 0 && h('h4', null, 'Responses'),
      all.map(([status, response]) =>
        h(ResponseEntry, {
          ...{ key: status, system, path, method, status, response, shared },
          specPath: specPath.push(status),
          isFirstOpen: isOpen(status),
          isCurrent: String(live?.get('status')) === status
        })
      ),
      groupsOfHeaders(shared).map(group => h(SharedHeaders, { system, all, group }))
    ])
  ])
}

export const isSuccess = (status: string) => status.startsWith('2')

export const ResponseEntry = ({ system, status, response, shared, isFirstOpen, isCurrent, ...place }: Untyped) => {
  const [isOpen, setOpen] = React.useState(isFirstOpen)
  const description = response.get('description') ?? ''
  const Markdown = system.getComponent('Markdown', true)
  const headers = headersOf(response).filter(each => !shared.some((other: Shared) => isSameHeader(each, other)))
  const links = response.get('links')?.entrySeq().toArray() ?? []
  const OperationLink = system.getComponent('operationLink')
  const attributes = {
    className: isCurrent ? 'response response-current' : 'response',
    'data-code': status,
    open: isFirstOpen,
    onToggle: (event: Untyped) => setOpen(event.target.open)
  }
  return h('details', attributes, [
    h('summary', null, [
      h('span', { className: `status status-${status[0]}` }, status),
      h('span', { className: 'meaning' }, inline(description)),
      h(
        'span',
        { className: 'summary-codes' },
        isSuccess(status) ? [] : codesOf(response).map(code => h('code', null, code))
      )
    ]),
    isOpen &&
      h('div', { className: 'response-body' }, [
        // The line itself shows a description of one paragraph.
        /\n\s*\S/.test(description.trim()) && h(Markdown, { source: description }),
        h(ResponseContent, { system, status, response, ...place }),
        headers.length > 0 && h(HeaderList, { system, headers }),
        links.map(([name, link]: Untyped) => h(OperationLink, { name, link, getComponent: system.getComponent }))
      ])
  ])
}

/** The example and the schema of a response, and a choice of them if it has several. */
export const ResponseContent = ({ system, status, response, specPath, path, method }: Untyped) => {
  const content = response.get('content')?.entrySeq().toArray() ?? []
  const [type, setType] = React.useState(content[0]?.[0])
  const [name, setName] = React.useState()
  if (content.length === 0) return null
  const media = response.getIn(['content', type])
  const examples = media.get('examples')?.entrySeq().toArray() ?? []
  const [exampleName, chosen] = examples.find(([each]: [string]) => each === name) ?? examples[0] ?? []
  const schema = media.get('schema')
  const written = chosen === undefined ? media.get('example') : (chosen.get('value') ?? chosen.get('dataValue'))
  const text = system.fn.getSampleSchema(schema?.toJS(), type, { includeReadOnly: true }, written)
  const select = (value: string) => {
    setType(value)
    if (isSuccess(status)) system.oas3Actions.setResponseContentType({ value, path, method })
  }
  const ModelExample = system.getComponent('modelExample', true)
  const { getComponent, getConfigs, specSelectors } = system
  const language = /json/i.test(type) ? 'json' : undefined
  return h(React.Fragment, null, [
    h('div', { className: 'choices' }, [
      h(Choice, {
        label: isSuccess(status) ? 'Media type (sent as Accept)' : 'Media type',
        options: content.map(([each]: [string]) => [each, each]),
        value: type,
        onChange: select
      }),
      h(Choice, { label: 'Example', options: examples.map(exampleOption), value: exampleName, onChange: setName })
    ]),
    (text !== undefined || schema !== undefined) &&
      h(ModelExample, {
        ...{ specPath: specPath.push('content', type, 'schema'), getComponent, getConfigs, specSelectors, schema },
        example:
          text === undefined
            ? undefined
            : h(Code, { system, text: String(text), language, label: `example of a ${status}` }),
        includeReadOnly: true
      })
  ])
}

export const exampleOption = ([name, example]: [string, Untyped]) => [name, example.get('summary') ?? name]

/** The codes of errors, by which programs tell them apart: those of the examples, or those that the schema allows. */
export const codesOf = (response: Untyped): string[] => {
  const medias = response.get('content')?.valueSeq().toArray() ?? []
  const codes = medias.flatMap((media: Untyped) => {
    const examples = media.get('examples')?.valueSeq().toArray() ?? []
    const values = [
      media.get('example'),
      ...examples.map((example: Untyped) => example.get('value') ?? example.get('dataValue'))
    ]
    const found = values.map(value => value?.get?.('code') ?? value?.getIn?.(['error', 'code']))
    const schema = media.getIn(['schema', 'properties', 'code'])
    return found.some(Boolean) ? found : [schema?.get('const'), ...(schema?.get('enum')?.toArray() ?? [])]
  })
  return [...new Set<string>(codes.filter((code: unknown) => typeof code === 'string'))]
}

export const headersOf = (response: Untyped): Header[] => response.get('headers')?.entrySeq().toArray() ?? []

export const isSameHeader = ([name, header]: Header, [otherName, other]: Header | Shared) =>
  name === otherName && header.equals(other)

/** The headers that more than half of the responses have, with the statuses of those responses. */
export const sharedHeaders = (all: Entry[]): Shared[] => {
  const found: Shared[] = []
  for (const [status, response] of all) {
    for (const header of headersOf(response)) {
      const same = found.find(each => isSameHeader(header, each))
      if (same === undefined) found.push([...header, [status]])
      else same[2].push(status)
    }
  }
  return found.filter(([, , statuses]) => statuses.length > 1 && statuses.length * 2 > all.length)
}

/** Shared headers in groups that the same responses have. */
export const groupsOfHeaders = (shared: Shared[]): Shared[][] =>
  Object.values(Object.groupBy(shared, ([, , statuses]) => statuses.join())) as Shared[][]

export const SharedHeaders = ({ system, all, group }: { system: System; all: Entry[]; group: Shared[] }) => {
  const statuses = group[0]?.[2] ?? []
  const without = all.map(([status]) => status).filter(status => !statuses.includes(status))
  const title = `Headers of all responses${without.length > 0 ? ` but ${without.join(', ')}` : ''}`
  return h('details', { className: 'response shared-headers' }, [
    h('summary', null, [
      h('span', { className: 'meaning' }, title),
      h(
        'span',
        { className: 'summary-codes' },
        group.map(([name]) => h('code', null, name))
      )
    ]),
    h('div', { className: 'response-body' }, h(HeaderList, { system, headers: group }))
  ])
}

export const HeaderList = ({ system, headers }: { system: System; headers: (Header | Shared)[] }) => {
  const Markdown = system.getComponent('Markdown', true)
  return h('dl', { className: 'headers' }, [
    headers.map(([name, header]) => {
      const type = header.getIn(['schema', 'type'])
      const example = header.get('example') ?? header.getIn(['schema', 'example'])
      return [
        h('dt', null, [
          h('code', null, name),
          ' ',
          h('span', { className: 'header-type' }, type?.toJS?.().join(' | ') ?? type)
        ]),
        h('dd', null, [
          header.get('description') && h(Markdown, { source: header.get('description') }),
          example !== undefined && h('p', null, ['Example: ', h('code', null, String(example))])
        ])
      ]
    })
  ])
}

/** A status with its response, or a name with its header, from the resolved contract. */
type Entry = [string, Untyped]
type Header = [string, Untyped]
type Shared = [string, Untyped, string[]]

declare const React: Untyped
