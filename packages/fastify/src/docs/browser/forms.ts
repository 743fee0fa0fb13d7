import { Choice, h, Labelled, withProps } from './elements.ts'
import { exampleOption } from './responses.ts'
import type { System, Untyped } from './untyped.ts'

/** Names for all form controls, and choices only where there are several options. */
export const forms = () => ({
  wrapComponents: {
    JsonSchemaForm: named(({ description }) => description),
    RequestBody: named(() => 'Request body'),

    contentType: (Original: Untyped) => (props: Untyped) => {
      const { contentTypes, value, onChange } = props
      const only = contentTypes.size === 1 ? contentTypes.first() : undefined
      // Before the form is filled, since a change of the media type empties it.
      React.useLayoutEffect(() => {
        if (only !== undefined && only !== value) onChange(only)
      })
      if (only === undefined) return h(Original, props)
      return h('span', { className: 'only-type' }, only)
    },

    ExamplesSelect: () => (props: Untyped) => h(ExampleChoice, props),

    Select: (Original: Untyped, { fn }: System) => {
      class Select extends Original {
        render() {
          const { allowedValues, allowEmptyValue = true, multiple } = this.props
          const all = [...allowedValues].map(value => fn.asWritten(String(value)))
          if (all.length === 1 && !allowEmptyValue && !multiple)
            return h('input', { type: 'text', readOnly: true, value: all[0] })
          // Swagger UI shows "--".
          const empty = allowEmptyValue && h('option', { value: '' }, multiple ? 'none' : 'not sent')
          return h('select', super.render().props, [empty, all.map(value => h('option', { value }, value))])
        }
      }
      return Select
    },

    // Their visible text and what is beside them name them better.
    Button: withProps(() => ({ 'aria-label': undefined })),
    Input: withProps(({ id, 'aria-label': label }) => (label === id ? { 'aria-label': undefined } : {})),

    // Swagger UI warns about each format of items that it has no input for, and then uses the plain input anyway.
    JsonSchema_array: withProps(({ getComponent }) => ({
      getComponent: (name: string, container: unknown, options: object) =>
        getComponent(name, container, { ...options, failSilently: true })
    }))
  }
})

/** The examples of a value, and what was typed in place of them, if there is a choice. */
export const ExampleChoice = (props: Untyped) => {
  const { examples, currentExampleKey, isModifiedValueAvailable, isValueModified, onSelect } = props
  const isNew = React.useRef(true)
  React.useLayoutEffect(() => {
    if (isNew.current || !examples.has(currentExampleKey))
      onSelect(examples.keySeq().first(), { isSyntheticChange: true })
    isNew.current = false
  }, [examples])
  const own = '__MODIFIED__VALUE__'
  return h(Choice, {
    label: 'Example',
    options: [
      ...examples.entrySeq().map(exampleOption),
      ...(isModifiedValueAvailable ? [[own, 'what you typed']] : [])
    ],
    value: isModifiedValueAvailable && isValueModified ? own : (currentExampleKey ?? ''),
    onChange: (name: string) => onSelect(name, { isSyntheticChange: false })
  })
}

/** Wraps a component: all form controls within get the name. */
export const named = (nameOf: (props: Untyped) => string) => (Original: Untyped, _system: System) => (props: Untyped) =>
  h(Labelled, { name: nameOf(props) }, h(Original, props))

declare const React: Untyped
