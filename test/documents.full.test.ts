import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { startPostgres } from '../packages/fastify/test/store/postgres-server.ts'
import { perform, serve, shellOf } from './documents.ts'
import { projectFolder, sendRequest, startServer } from './start-server.ts'

t.test('contract check: its commands succeed', async t => {
  const { env, places } = await serve(t)
  const check = shellOf('docs/contract-check.md', 'npm run contract -- check changes')
  await perform(
    t,
    shellOf('README.md', 'KEY=') + check,
    { ...places, '--against main': '--against openapi/releases/1.0.0.yaml' },
    env
  )
})

// pg_dump dumps no server that is newer than itself, so they come from one folder, which the registry packages lack.
const [bin] = globSync('/usr/lib/postgresql/*/bin/pg_dump').toSorted().map(dirname)
const createRole = shellOf('docs/deployment.md', 'sudo -u postgres psql')
const move = shellOf('docs/deployment.md', 'export DATABASE_URL=')
const startThere = shellOf('docs/deployment.md', 'DATABASE_URL=postgres')
const dump = shellOf('docs/deployment.md', 'pg_dump')

t.test(
  'operators: the store moves to PostgreSQL, is dumped and restored',
  bin === undefined ? { skip: 'there is no pg_dump in /usr/lib/postgresql' } : {},
  async t => {
    const postgres = await startPostgres({ bin: `${bin}` })
    t.teardown(() => postgres.remove())
    const { folder, env, places: served, end } = await serve(t)
    const places = {
      ...served,
      'sudo -u postgres psql': `psql --quiet ${postgres.url}`,
      '127.0.0.1:5432': `127.0.0.1:${postgres.port}`,
      'sqlite:data/animals.db': env.DATABASE_URL
    }
    const key = (await perform(t, 'npm run -s keys -- issue --name first', {}, env)).trim()
    await end()
    const withPrograms = { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` }
    await perform(t, createRole, places, withPrograms)
    const moved = await perform(t, move, places, withPrograms)
    t.match(moved, /Both have the same rows\.[\s\S]* first$/m)

    const url = `postgres://animals:SECRET@127.0.0.1:${postgres.port}/animals`
    const start = startThere.replace(/^DATABASE_URL=\S+/, `DATABASE_URL=${url}`)
    const server = await startServer(t, { cwd: projectFolder, command: 'sh', args: ['-ec', start], detached: true })
    t.equal((await sendRequest(server, key, '/v1/pets')).status, 200)
    const [backup = '', restore = ''] = dump.split('\n')
    await perform(t, backup, places, { ...withPrograms, DATABASE_URL: url })
    process.kill(-(server.process.pid as number), 'SIGTERM')
    await server.ended
    await perform(t, restore, places, { ...withPrograms, DATABASE_URL: url })
    t.match(await perform(t, 'npm run keys -- list', {}, { DATABASE_URL: url }), 'first')
    t.ok(existsSync(join(folder, 'backups', 'animals.dump')))
  }
)
