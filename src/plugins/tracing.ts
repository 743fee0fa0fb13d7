import type { FastifyPluginCallback } from 'fastify'
import { withoutKeys } from '../api-key.ts'
import { ConfigError } from '../config.ts'

/**
 * A span of OpenTelemetry for every request, whose trace is also that of the request's line in the log. Where spans go
 * is up to the SDK that the operator has preloaded; it is also what reads the OTEL_ variables.
 * @throws ConfigError when @fastify/otel is not installed, or no SDK is there
 */
export const loadTracing = async (): Promise<FastifyPluginCallback> => {
  const { FastifyOtelInstrumentation } = await import('@fastify/otel').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError([
      'OPENTELEMETRY is on, but @fastify/otel is not installed: npm install --no-save @fastify/otel.'
    ])
  })
  const { isSpanContextValid, SpanStatusCode, trace } = await import('@opentelemetry/api')
  if (!isSpanContextValid(trace.getTracer('animal-store').startSpan('start').spanContext())) {
    throw new ConfigError([
      'OPENTELEMETRY is on, but there is no SDK that takes spans: preload one, for example with ' +
        'NODE_OPTIONS=--import=@opentelemetry/auto-instrumentations-node/register.'
    ])
  }
  const instrumentation = new FastifyOtelInstrumentation({
    // One span for each request: another one for each hook would cost more than it tells.
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook: (span, request) => {
      const { method, url, routeOptions } = request
      span.updateName(`${method} ${routeOptions.url ?? ''}`.trimEnd())
      // The instrumentation puts the query there too, in which secrets like to be.
      span.setAttribute('url.path', withoutKeys(url.split('?', 1)[0] ?? url))
      request.traceId = span.spanContext().traceId
      // It also puts the text of every error there, which can repeat what a client sent, and takes what a client did
      // wrong for an error of the service.
      const { setStatus, setAttributes } = span
      span.setStatus = () => span
      span.setAttributes = attributes => {
        if (Number(attributes['http.response.status_code']) >= 500) setStatus.call(span, { code: SpanStatusCode.ERROR })
        return setAttributes.call(span, attributes)
      }
    }
  })
  return instrumentation.plugin()
}
