import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyPluginCallback } from 'fastify'
import { ConfigError } from '../config-error.ts'
import { withoutKeyRests } from '../operations/api-key.ts'

/**
 * A span of OpenTelemetry for every request, whose trace is also that of the request's line in the log. Where spans go
 * is up to the SDK that the file starts, or that is preloaded; it is also what reads the OTEL_ variables.
 * @throws ConfigError when there is no SDK, or no @fastify/otel beside it
 */
export const loadTracing = async (sdk: string | true): Promise<FastifyPluginCallback> => {
  const fault = (what: string) =>
    new ConfigError([`OPENTELEMETRY is ${sdk === true ? 'on' : sdk}, but ${what}: ${howTo}`])
  if (sdk !== true) {
    await import(pathToFileURL(resolve(sdk)).href).catch((cause: Error) => {
      throw fault(`that fails: ${cause.message}`)
    })
  }
  // Beside the SDK: to the packages of the service npm would add all that only development needs, or nothing.
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
    throw fault('there is no SDK that takes spans')
  const instrumentation = new FastifyOtelInstrumentation({
    // One span for each request: another one for each hook would cost more than it tells.
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook: (span, request) => {
      const { method, url, routeOptions } = request
      span.updateName(`${method} ${routeOptions.url ?? ''}`.trimEnd())
      // The instrumentation puts the query there too, in which secrets like to be.
      span.setAttribute('url.path', withoutKeyRests(url.split('?', 1)[0] ?? url))
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

const howTo = 'npm ci --prefix deploy/tracing installs one that OPENTELEMETRY=deploy/tracing/sdk.js starts.'
