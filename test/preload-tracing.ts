import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

// An SDK as an operator preloads one, which sends each span on its own, to where OTEL_EXPORTER_OTLP_ENDPOINT says.
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] }).register()
