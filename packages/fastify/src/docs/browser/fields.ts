import { h } from './elements.ts'
import { Schema } from './schemas.ts'
import type { System, Untyped } from './untyped.ts'

/** Fields of forms as those of schemas: name and type on a line, what is to be entered in words, then the control. */
export const fields = () => ({ wrapComponents: { parameterRow, RequestBody: bodyFields } })

export const parameterRow = (Original: Untyped, system: System) =>
  class extends Original {
    render() {
      const row = super.render()
      if (row === null) return null
      const { rawParam, param = rawParam } = this.props
      const [, control] = row.props.children
      const [, , , , , choice, ...controls] = control.props.children
      const schema = param.get('schema') ?? param.get('content')?.first()?.get('schema')
      const notes = [param.get('deprecated') && 'deprecated', `in ${param.get('in')}`]
      // The last two are what the schema says, too.
      return fieldRow(system, row, { field: param, schema, notes, controls: [choice, ...controls.slice(0, -2)] })
    }
  }

/** A body in fields; any other stays as it is. */
export const bodyFields = (Original: Untyped, system: System) => (props: Untyped) => {
  const body = Original(props)
  const rows = body?.props.className === 'table-container' && body.props.children[1].props.children.props.children
  if (!rows) return body
  const content = props.requestBody.get('content')
  const whole = content.getIn([props.contentType || content.keySeq().first(), 'schema'])
  const row = (each: Untyped) => {
    if (!each) return null
    const name = each.props['data-property-name']
    const schema = whole.getIn(['properties', name])
    const field = { get: (key: string) => ({ name, required: whole.get('required')?.includes(name) })[key] }
    return fieldRow(system, each, { field, schema, notes: [], controls: [each.props.children[1].props.children[1]] })
  }
  const table = h('table', null, h('tbody', null, rows.toArray().map(row)))
  return h('div', { className: 'table-container' }, [body.props.children[0], table])
}

export const fieldRow = (system: System, row: Untyped, { field, schema, notes, controls }: Untyped) => {
  const written = schema?.toJS() ?? {}
  const description = field.get('description') ?? written.description
  const shown = { ...written, description, example: field.get('example') ?? written.example }
  const isRequired = field.get('required')
  return h('tr', { ...row.props, key: row.key, className: 'form-row' }, [
    h('td', null, h(Schema, { system, schema: shown, name: field.get('name'), isRequired, notes, isFlat: true })),
    h('td', null, controls)
  ])
}
