import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { generate } from '../scripts/generate/generate.ts'

const folder = 'test/fixtures/service'
const command = 'npx tap run --snapshot test/fixture-app.test.ts'

t.test(`the fixture's modules follow from its contract; ${command} makes them`, async t => {
  const files = await generate(`${folder}/openapi.yaml`)
  for (const name of ['operations.ts', 'request-schemas.ts', 'response-schemas.ts']) {
    const text =
      files.get(name)?.replace(/^\/\/ Generated .*/, `// Generated from openapi.yaml by \`${command}\`.`) ?? ''
    if (process.env.TAP_SNAPSHOT === '1') writeFileSync(`${folder}/${name}`, text)
    t.equal(readFileSync(`${folder}/${name}`, 'utf8'), text, name)
  }
})
