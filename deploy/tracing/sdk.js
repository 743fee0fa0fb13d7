import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

// Where spans go, how often, and under which name is read from OTEL_EXPORTER_OTLP_…, OTEL_BSP_… and OTEL_SERVICE_NAME:
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
const resource = defaultResource()
  .merge(resourceFromAttributes({ 'service.name': 'animal-store' }))
  .merge(detectResources({ detectors: [envDetector] }))
new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] }).register()
