import { join } from 'node:path'
import t from 'tap'
import { createService, keysTable, storeKeys, type Verifiers } from '../../src/index.ts'
import { derivedContract } from '../derived-contract.ts'
import { securedContract } from '../secured-app.ts'

t.test('a verifier may use the tables of the service', async t => {
  const { contract } = await derivedContract(t, securedContract({ one: 'security: [{ basic: [] }]' }))
  const service = createService({
    name: 'Users',
    realm: 'users',
    databasePath: join(t.testdir(), 'users.db'),
    schema: {
      applicationId: 0x55736572,
      migrations: [
        keysTable,
        "CREATE TABLE users (name TEXT PRIMARY KEY, password TEXT) STRICT; INSERT INTO users VALUES ('ann', 'right')"
      ],
      counted: {},
      tables: ({ db, read }) => {
        const byName = db.prepare('SELECT password FROM users WHERE name = ?')
        return {
          passwordOf: (name: string) => read(() => (byName.get(name) as { password: string } | undefined)?.password)
        }
      }
    },
    load: async () => ({
      contract,
      handlers: () =>
        ({ one: async ({ principal }: { principal: unknown }) => ({ status: 200, body: principal }) }) as never,
      verifiers: ({ passwordOf }) =>
        ({
          basic: async (_scheme: string, { username, password }: { username: string; password: string }) =>
            (await passwordOf(username)) === password ? { id: username } : undefined
        }) as Verifiers
    })
  })
  t.equal(await service.needsKeys(), false, 'its start in production wants no key')
  const store = await service.openStore({ path: ':memory:' })
  const app = await service.build({ store })
  t.teardown(async () => {
    await app.close()
    await store.close()
  })
  t.equal(app.takesKeys, false)
  const get = (user: string) =>
    app.inject({ url: '/v1/one', headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` } })
  t.strictSame((await get('ann:right')).json(), { id: 'ann' })
  for (const user of ['ann:wrong', 'bob:right', 'ann:']) t.equal((await get(user)).statusCode, 401, user)
})

t.test('the compiler knows the credential of each scheme', async t => {
  type Schemes = {
    basic: { type: 'http'; scheme: 'Basic' }
    oauth: { type: 'oauth2' }
    key: { type: 'apiKey'; in: 'query'; name: 'key' }
  }
  const right: Verifiers<Schemes> = {
    basic: async (_scheme, { username }) => ({ id: username }),
    oauth: async (_scheme, { token }) => (token === 'a' ? { id: 'ann' } : undefined),
    key: storeKeys
  }
  const wrong: Verifiers<Schemes> = {
    // @ts-expect-error that is a user name and a password
    basic: async (_scheme, { token }) => ({ id: token }),
    // @ts-expect-error that is a token
    oauth: async (_scheme, { key }) => ({ id: key }),
    // @ts-expect-error there is no such scheme
    other: storeKeys
  }
  t.strictSame(Object.keys(right), Object.keys(wrong).slice(0, 2).concat('key'))
})
