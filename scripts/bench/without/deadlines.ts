import { Deadline, Deadlines } from '../../../packages/fastify/src/operations/deadlines.ts'

export * from '../../../packages/fastify/src/operations/deadlines.ts'

class Never extends Deadline {
  override remove() {
    return true
  }
}
const never = new Never()
Deadlines.prototype.add = () => never
