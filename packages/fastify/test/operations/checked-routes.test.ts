import { join } from 'node:path'
import t from 'tap'
import { fastifyRoutes } from '../../../check/src/index.ts'
import { checkStatic } from '../../../check/src/routes/static.ts'
import { loadDocument } from '../../../document/src/document.ts'
import { checkedRoutes, createService } from '../../src/index.ts'
import { derivedContract } from '../derived-contract.ts'
import { schema } from '../fixture-store.ts'
import { securedContract } from '../secured-app.ts'

const schemes = ['bearer', 'basic', 'inHeader', 'inQuery', 'inCookie', 'oauth', 'openId']
for (const requirement of [...schemes.map(each => `{ ${each}: [] }`), '{ inQuery: [], inHeader: [], basic: [] }'])
  t.test(
    `the check finds the routes of a service that requires ${requirement} to be those of its contract`,
    async t => {
      const { contract, files } = await derivedContract(t, securedContract({ operation: `security: [${requirement}]` }))
      const handlers = () => ({ operation: async () => ({ status: 200, body: {} }) })
      const refuseAll = () => () => undefined
      const service = createService({
        name: 'Secured',
        realm: 'secured',
        databasePath: ':memory:',
        schema,
        load: async () => ({ contract, handlers: handlers as never, verifiers: refuseAll })
      })
      const folder = t.testdir({
        'openapi.yaml': contract.documents.yaml,
        'openapi.json': files.get('openapi.json') ?? ''
      })
      const [yaml, json] = [join(folder, 'openapi.yaml'), join(folder, 'openapi.json')]
      for (const checked of [
        await checkedRoutes(service, { yaml, json }),
        await checkedRoutes({ contract, handlers: handlers() })
      ])
        t.strictSame(checkStatic(loadDocument(yaml), await fastifyRoutes(checked)), { routes: 1, failures: [] })
    }
  )
