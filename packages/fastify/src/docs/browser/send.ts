import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** One button that sends the request of a form, and one that resets the form. */
export const send = () => ({
  wrapComponents: {
    execute: sendAndReset,
    // A new key makes the form a new one, which fills itself in.
    parameters:
      (Original: Untyped, { historySelectors }: System) =>
      (props: Untyped) =>
        h(Original, { ...props, key: historySelectors.resets(...props.pathMethod) }),
    // All forms can be filled in at once, and Reset also removes the response.
    TryItOutButton: () => () => null,
    clear: () => () => null
  }
})

export const sendAndReset = (Original: Untyped, system: System) => {
  class Send extends Original {
    render() {
      const { disabled: isBusy, operation } = this.props
      const attributes = {
        type: 'button',
        className: 'btn execute',
        // A disabled button would lose the focus.
        onClick: () => isBusy || this.onClick(),
        // Swagger UI shows the button before it has resolved the operation; if pressed then, it never works again.
        disabled: operation.isEmpty()
      }
      return h('button', attributes, isBusy ? 'Sending …' : 'Send')
    }
  }
  return (props: Untyped) =>
    h(React.Fragment, null, [
      h(Send, props),
      h('button', { type: 'button', className: 'btn', onClick: () => reset(system, props) }, 'Reset')
    ])
}

/** Makes the form what it was at first, and removes the response. */
export const reset = (system: System, { path, method, operation }: Untyped) => {
  const { specActions, oas3Actions, oas3Selectors, historyActions } = system
  const pathMethod = [path, method]
  for (const parameter of operation.get('parameters') ?? [])
    specActions.changeParamByIdentity(pathMethod, parameter, undefined)
  for (const name of oas3Selectors.requestBodyInclusionSetting(path, method).keys())
    oas3Actions.setRequestBodyInclusion({ pathMethod, name, value: false })
  oas3Actions.setRequestBodyValue({ pathMethod, value: undefined })
  oas3Actions.clearRequestBodyValidateError({ path, method })
  specActions.clearValidateParams(pathMethod)
  specActions.clearResponse(path, method)
  specActions.clearRequest(path, method)
  historyActions.countReset({ path, method })
}

declare const React: Untyped
