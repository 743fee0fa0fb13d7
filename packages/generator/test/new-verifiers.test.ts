import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { run, scriptPath } from '../../../test/start-server.ts'
import { makeProject } from '../src/new/new-project.ts'
import { Report } from '../src/problems.ts'

const schemes: Readonly<Record<string, string>> = {
  plain: '{ type: http, scheme: bearer }',
  opaque: '{ type: http, scheme: bearer, bearerFormat: opaque }',
  token: '{ type: http, scheme: Bearer, bearerFormat: JWT }',
  openId: '{ type: openIdConnect, openIdConnectUrl: https://id.example/realm/.well-known/openid-configuration }',
  '3rd': '{ type: openIdConnect, openIdConnectUrl: /.well-known/openid-configuration }',
  oauth:
    '{ type: oauth2, flows: { clientCredentials: { tokenUrl: https://login.example/token, scopes: { read: To read } } } }',
  inHeader: '{ type: apiKey, in: header, name: X-Key }',
  basic: '{ type: http, scheme: basic }'
}

/** A new project whose only operation requires one of these security schemes. */
const project = async (t: Test, names: readonly string[]) => {
  const cwd = t.testdir()
  const contract = join(cwd, 'things.yaml')
  const scopes = (name: string) => (name === 'oauth' ? '[read]' : '[]')
  writeFileSync(
    contract,
    `openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
paths: { /thing: { get: { operationId: getThing, responses: { '204': { description: It } } } } }
security: [${names.map(name => `{ ${name}: ${scopes(name)} }`).join(', ')}]
components: { securitySchemes: { ${names.map(name => `${name}: ${schemes[name]}`).join(', ')} } }
`
  )
  const folder = join(cwd, 'project')
  await makeProject({ folder, name: 'things', contract, skipRefused: false, versions: {} }, new Report(cwd), undefined)
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return {
    folder,
    verifiers: read('src/verifiers.ts'),
    settings: read('.env.example'),
    readme: read('README.md'),
    dependencies: JSON.parse(read('package.json')).dependencies
  }
}

t.test('tokens that are JWTs are not taken for keys of the store', async t => {
  const { folder, verifiers, settings, readme, dependencies } = await project(t, Object.keys(schemes))
  t.match(verifiers, "import { jwtVerifier, storeKeys, type Verifiers } from '@contract-first/fastify'")
  for (const name of ['plain', 'opaque', 'inHeader']) t.match(verifiers, new RegExp(`^ *${name}: storeKeys`, 'm'))
  for (const [name, issuer] of Object.entries({
    token: 'https://issuer.example',
    openId: 'https://id.example/realm',
    '3rd': 'https://issuer.example',
    oauth: 'https://login.example'
  })) {
    const setting = { openId: 'OPEN_ID', '3rd': '_3RD' }[name] ?? name.toUpperCase()
    t.match(
      verifiers,
      new RegExp(
        `^ *'?${name}'?: jwtVerifier\\(\\{\\s+issuer: process\\.env\\.${setting}_ISSUER \\?\\? '${issuer}',\\s+audience: .*\\s+jwksUrl: .* '${issuer}/\\.well-known/jwks\\.json'`,
        'm'
      )
    )
    t.match(settings, `# ${setting}_ISSUER=${issuer}\n`)
    t.match(readme, `\n| \`${setting}_ISSUER\` | \`${issuer}\` | the issuer of the tokens of \`${name}\``)
  }
  t.match(verifiers, /^ *basic: \(_scheme, _credential, _scopes\) => undefined/m)
  t.match(dependencies, { jose: '^6.0.0' })

  // Uses the engine of this repository.
  for (const file of readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, 'src', file)
    if (!file.endsWith('.ts')) continue
    const text = readFileSync(path, 'utf8').replaceAll(
      "'@contract-first/fastify'",
      `'${scriptPath('packages/fastify/src/index.ts')}'`
    )
    writeFileSync(path, text)
  }
  const server = run(t, process.execPath, ['src/main.js', 'server'], { cwd: folder, env: { PORT: '0' } })
  const [, origin] = await server.printed(/service +(http:\S+)/)
  const statusOf = async (headers: Record<string, string>) => (await fetch(`${origin}/thing`, { headers })).status
  t.equal(await statusOf({ authorization: 'Bearer x' }), 401)
})

t.test('a project without JWTs does not depend on what reads them', async t => {
  const { verifiers, dependencies } = await project(t, ['plain', 'basic'])
  t.notMatch(verifiers, /jwtVerifier\(/)
  t.strictSame(Object.keys(dependencies), ['@contract-first/fastify'])
})
