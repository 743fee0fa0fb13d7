import t from 'tap'
import { operations } from '../../generated/operations.ts'
import { call, startObserved } from './observed-service.ts'

const { removalDate } = operations.getPet.lifecycle.deprecation
const removal = Date.parse(removalDate)

for (const setting of ['answer', 'gone'] as const) {
  t.test(`the removal date passes while the service runs, REMOVED_OPERATIONS=${setting}`, async t => {
    const service = await startObserved(t, {
      cwd: t.testdir(),
      env: { LOG_LEVEL: 'warn', DATABASE_URL: 'sqlite::memory:', REMOVED_OPERATIONS: setting }
    })
    const create = () => call(service, '/pets', { name: 'Rex', categoryId: 7 })
    const get = () => call(service, '/pets/1')

    await service.setClock(removal - 3_600_000)
    t.equal((await create()).headers.get('location'), 'pets/1')
    t.equal((await get()).status, 200)

    await service.setClock(removal)
    for (let i = 0; i < 3; i++) {
      const { status, text } = await get()
      t.equal(status, setting === 'gone' ? 410 : 200)
      if (setting === 'gone') t.match(text, `getPet was removed on ${removalDate}`)
      else t.match(text, '{"id":1,"name":"Rex"')
    }
    const created = await create()
    t.equal(created.status, 201)
    t.equal(created.headers.get('location'), setting === 'gone' ? null : 'pets/2')
    t.equal((await call(service, '/pets')).status, 200)

    await service.setClock(removal - 3_600_000)
    t.equal((await get()).status, 200, 'the clock may also be set back')

    service.process.kill('SIGTERM')
    await service.ended
    const warnings = service.output().stdout.match(/getPet is still called after its removal date/g) ?? []
    t.equal(warnings.length, setting === 'gone' ? 0 : 1, 'it is logged once')
  })
}
