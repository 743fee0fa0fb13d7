import { requestsAsTyped } from './as-typed.ts'
import { authorize } from './authorize.ts'
import { createTheme } from './contents.ts'
import { examples } from './examples.ts'
import { fields } from './fields.ts'
import { forms } from './forms.ts'
import { requestHistory } from './history.ts'
import { largeIntegers } from './integers.ts'
import { layout } from './layout.ts'
import { operationLines } from './operation.ts'
import { resolvedInParts } from './resolve.ts'
import { responsesOnLines } from './responses.ts'
import { schemas } from './schemas.ts'
import { send } from './send.ts'
import { tryOut } from './try-out.ts'
import type { System, Untyped } from './untyped.ts'

export const start = () => {
  // Before anything is drawn.
  const theme = createTheme()
  const plugins = [
    // Before others wrap the same components, as it extends Swagger UI's classes.
    fields(),
    largeIntegers(),
    layout(theme),
    operationLines(),
    forms(),
    examples(),
    requestsAsTyped(),
    authorize(),
    requestHistory(),
    send(),
    tryOut(),
    resolvedInParts(),
    responsesOnLines(),
    schemas()
  ]
  // For the initializer of @fastify/swagger-ui.
  const docsAdditions = ({ React }: System) => {
    Object.assign(globalThis, { React })
    return plugins
  }
  // Otherwise a library in Swagger UI handles links within the page, and those with targets that it does not find do nothing.
  Object.assign(globalThis, { docsAdditions, noZensmooth: true })
  // The initializer would take a query for part of the page's path.
  if (location.search !== '') history.replaceState(history.state, '', location.pathname + location.hash)
}

declare const React: Untyped
declare const history: Untyped
declare const location: Untyped
