import t from 'tap'
import { startObserved } from './observed-service.ts'

// A JavaScript handler for a signal such as SIGSEGV would be called again and again, while the
// service keeps its port and sends no responses (https://nodejs.org/api/process.html#signal-events).
t.test('a crash ends the process at once, so that another can be started', async t => {
  const service = await startObserved(t, { cwd: t.testdir() })
  service.crash()
  const { code, signal } = await service.ended
  t.equal(code, null)
  t.match(signal, /^SIG(TRAP|ILL|ABRT)$/)
})

for (const signal of ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const) {
  t.test(`${signal} is not handled`, async t => {
    const service = await startObserved(t, { cwd: t.testdir() })
    service.process.kill(signal)
    t.strictSame(await service.ended, { code: null, signal })
  })
}
