import { OperationFigures } from '../../../src/engine/observability/metrics.ts'

export * from '../../../src/engine/observability/metrics.ts'

OperationFigures.prototype.countDuration = () => {}
OperationFigures.prototype.countKey = () => {}
