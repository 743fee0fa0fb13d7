import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment, projectFolder, scriptPath } from '../../../test/start-server.ts'

const mocks = (...args: string[]) =>
  spawnSync(process.execPath, [scriptPath('packages/generator/trials/mocks.ts'), ...args], {
    cwd: projectFolder,
    encoding: 'utf8',
    env: childEnvironment
  })

const contract = {
  openapi: '3.1.0',
  info: { title: 'Bells', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  paths: {
    '/bells/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } }],
        responses: { 204: { description: 'It rings.' } }
      }
    },
    '/broken': { get: { responses: { 500: { description: 'Always.' } } } }
  }
}

/** Started like Prism; it accepts every request, and has no base path. */
const credulous = `
import { createServer } from 'node:http'
const [command, , , port] = process.argv.slice(2)
if (command !== 'mock') throw new Error(command)
createServer(({ url }, response) => {
  response.statusCode = url.startsWith('/v1') ? 500 : 200
  response.end()
}).listen(Number(port), '127.0.0.1')
`

t.test('mocks counts what this mock and another one judge wrongly', t => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'bells.json'), JSON.stringify(contract))
  writeFileSync(join(folder, 'credulous.mjs'), credulous)
  const { status, stdout, stderr } = mocks(folder, '--prism', join(folder, 'credulous.mjs'))
  const [, bells = '', total = ''] = stdout.split('\n')
  const [, valid = '', invalid = ''] =
    /^bells\.json +(\d+) +(\d+) +\S+ s +0 +0 +0 +\S+ s +0 +(\d+) +0$/.exec(bells) ?? []
  t.ok(Number(valid) > 0 && Number(invalid) > 0, stdout)
  t.match(bells, new RegExp(` 0 +${invalid} +0$`), 'it rejects nothing')
  t.match(total, /^1 documents .* 1 start .* 1 start /)
  t.strictSame([status, stderr], [0, ''])
  t.end()
})

t.test('mocks wants a folder, and the program of Prism', t => {
  t.match(mocks(), { status: 2, stderr: /^one folder is expected\n\nUsage: npm run mocks -- FOLDER/ })
  t.match(mocks('openapi', '--prism', 'gone'), { status: 2, stderr: /^there is no file gone\n/ })
  t.match(mocks('openapi', '--operations', 'x'), { status: 2, stderr: /^--operations must be a number\n/ })
  t.match(mocks('--help'), { status: 0, stdout: /^Usage: npm run mocks/ })
  t.end()
})
