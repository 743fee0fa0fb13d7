import { Code } from './code.ts'
import { allOperationsOf, type Operation } from './contract.ts'
import { h } from './elements.ts'
import { curlSample } from './sample-code.ts'
import { sampleRequest } from './sample-request.ts'
import type { Untyped } from './untyped.ts'

/** A request that works as it is, once it has a key. */
export const FirstRequest = ({ system }: Untyped) => {
  const { specSelectors, specActions } = system
  const found: Operation | undefined = React.useMemo(() => allOperationsOf(system).find(isSimple), [])
  const at = ['paths', found?.path, found?.method]
  React.useEffect(() => {
    if (found !== undefined) specActions.requestResolvedSubtree(at)
  }, [])
  const operation = found && specSelectors.specResolvedSubtree(at)
  if (operation === undefined) return null
  const request = sampleRequest(system, { ...found, operation: operation.toJS() })
  return h('section', { className: 'first-request', 'aria-label': 'A first request' }, [
    h('p', null, ['A first request: ', h('a', { href: found?.href }, found?.summary)]),
    h(Code, { system, text: curlSample(request), language: 'bash', label: 'a first request' })
  ])
}

/** Whether an operation only reads, and needs no more than a key. */
export const isSimple = ({ method, path, mark, operation }: Operation) =>
  method === 'get' &&
  mark === undefined &&
  !path.includes('{') &&
  !(operation.get('parameters') ?? []).some((each: Untyped) => each.get('required'))

declare const React: Untyped
