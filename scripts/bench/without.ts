import { registerHooks } from 'node:module'

// Preloaded into the service: puts one of the modules beside this in the place of the engine's, to leave a part out.

/** The parts, each the name of a module in without/, and the module of the engine that it stands for. */
export const parts = {
  'request-id': 'observability/request-log.ts',
  'log-and-metrics': 'observability/request-log.ts',
  metrics: 'observability/metrics.ts',
  'security-headers': 'http/security-headers.ts',
  'lifecycle-headers': 'operations/lifecycle.ts',
  'key-check': 'security/auth.ts',
  turns: 'http/faults.ts',
  overload: 'http/overload.ts',
  deadlines: 'operations/deadlines.ts',
  validation: 'validation/validator-compiler.ts',
  'response-check': 'validation/serializer-compiler.ts'
} as const
export type Part = keyof typeof parts

const { WITHOUT } = process.env
if (WITHOUT !== undefined) {
  const original = new URL(`../../packages/fastify/src/${parts[WITHOUT as Part]}`, import.meta.url).href
  const substitute = new URL(`without/${WITHOUT}.ts`, import.meta.url).href
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context)
      // The substitute itself takes the rest from the original.
      const isReplaced = resolved.url === original && context.parentURL !== substitute
      return isReplaced ? { ...resolved, url: substitute } : resolved
    }
  })
}
