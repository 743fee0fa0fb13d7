import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyPluginCallback } from 'fastify'
import { withoutKeyRests } from '../api-keys/hidden-keys.ts'
import { ConfigError } from '../errors/config-error.ts'
import { methodOf } from '../routing/methods.ts'
import { urlOf } from '../routing/targets.ts'

/**
 * An OpenTelemetry span for every request, whose trace id is also in the request's log line. The SDK that the file starts,
 * or that is preloaded, exports spans and reads the OTEL_ variables.
 * @throws ConfigError if there is no SDK, or no @fastify/otel beside it
 */
export const loadTracing = async (sdk: string | true): Promise<FastifyPluginCallback> => {
  const fault = (what: string) =>
    new ConfigError([`OPENTELEMETRY is ${sdk === true ? 'on' : sdk}, but ${what}: ${howTo}`])
  if (sdk !== true) {
    await import(pathToFileURL(resolve(sdk)).href).catch((cause: Error) => {
      throw fault(`it cannot be loaded: ${cause.message}`)
    })
  }
  // Loaded from the SDK's folder: as a dependency of the service, npm would install all its peers or none.
  const require = createRequire(sdk === true ? import.meta.url : resolve(sdk))
  const load = (name: string) => {
    try {
      return require(name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
      throw fault(`${name} is not installed beside ${sdk === true ? 'the service' : 'it'}`)
    }
  }
  const { FastifyOtelInstrumentation }: typeof import('@fastify/otel') = load('@fastify/otel')
  const { isSpanContextValid, SpanStatusCode, trace }: typeof import('@opentelemetry/api') = load('@opentelemetry/api')
  if (!isSpanContextValid(trace.getTracer('start').startSpan('start').spanContext()))
    throw fault('no SDK records spans')
  const instrumentation = new FastifyOtelInstrumentation({
    // One span per request: further ones for hooks would cost more than they show.
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook: (span, request) => {
      const { raw, routeOptions } = request
      const method = methodOf(raw)
      const url = urlOf(raw)
      span.setAttribute('http.request.method', method)
      span.updateName(`${method} ${routeOptions.url ?? ''}`.trimEnd())
      // The instrumentation would include the query, where secrets tend to be.
      span.setAttribute('url.path', withoutKeyRests(url.split('?', 1)[0] ?? url))
      request.traceId = span.spanContext().traceId
      // It would also include every error's message, which may repeat what a client sent, and count clients' errors
      // as errors of the service.
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

const howTo = 'npm ci --prefix deploy/tracing installs one that OPENTELEMETRY=deploy/tracing/sdk.js starts.'
