import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

/** What is sent to an OpenTelemetry collector (OTLP over HTTP, as JSON). */
export interface Span {
  traceId: string
  parentSpanId?: string
  startTimeUnixNano: string
  name: string
  kind: number
  status: { code: number }
  attributes: Attribute[]
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

/** A collector that runs as long as the test. */
export const startCollector = async (t: Test) => {
  const spans: Span[] = []
  const services = new Set<unknown>()
  let wake = () => {}
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(await text(request))
    for (const { resource, scopeSpans } of resourceSpans) {
      services.add(valuesOf(resource)['service.name'])
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    response.end('{}')
    wake()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The names of the services that have sent spans. */
    services,
    /** All spans, sorted by start time, once there are this many. */
    spans: async (count: number) => {
      while (spans.length < count)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      // Spans arrive one by one, in any order.
      return spans.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    }
  }
}

export const valuesOf = ({ attributes }: { attributes: Attribute[] }): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
