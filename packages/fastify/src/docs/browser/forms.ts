import { h, Labelled, withProps } from './elements.ts'
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

    ExamplesSelect: (Original: Untyped) => (props: Untyped) => {
      const { examples, isModifiedValueAvailable, onSelect } = props
      const isChoice = examples.size > 1 || isModifiedValueAvailable
      React.useLayoutEffect(() => {
        if (!isChoice) onSelect(examples.keySeq().first(), { isSyntheticChange: true })
      }, [])
      return isChoice ? h(Labelled, { name: 'Example' }, h(Original, props)) : null
    },

    Select: (Original: Untyped) => (props: Untyped) => {
      const { allowedValues, allowEmptyValue = true, multiple } = props
      const [only, ...others] = [...allowedValues]
      if (others.length > 0 || allowEmptyValue || multiple) return h(Original, props)
      return h('input', { type: 'text', readOnly: true, value: String(only) })
    },

    // Their visible text and what is beside them name them better.
    Button: withProps(() => ({ 'aria-label': undefined })),
    Input: withProps(({ id, 'aria-label': label }) => (label === id ? { 'aria-label': undefined } : {})),

    execute: (Original: Untyped) => (props: Untyped) => {
      const { disabled: isBusy, operation } = props
      // A disabled button would lose the focus.
      const onClickCapture = (event: Untyped) => isBusy && event.stopPropagation()
      // Swagger UI shows the button before it has resolved the operation; if pressed then, it never works again.
      const button = h(Original, { ...props, disabled: operation.isEmpty() })
      return h('span', { className: 'execute-control', onClickCapture }, button)
    },

    // Swagger UI warns about each format of items that it has no input for, and then uses the plain input anyway.
    JsonSchema_array: withProps(({ getComponent }) => ({
      getComponent: (name: string, container: unknown, options: object) =>
        getComponent(name, container, { ...options, failSilently: true })
    }))
  }
})

/** Wraps a component: all form controls within get the name. */
export const named = (nameOf: (props: Untyped) => string) => (Original: Untyped, _system: System) => (props: Untyped) =>
  h(Labelled, { name: nameOf(props) }, h(Original, props))

declare const React: Untyped
