import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Request } from 'playwright-core'
import t from 'tap'
import { newPage } from '../../../test/browser.ts'
import { elsewhere, npm, pack } from '../../../test/installing.ts'
import { projectFolder, run } from '../../../test/start-server.ts'

const tarball = pack('generated', 'openapi')

t.test('a page of another origin uses the packed client with the demo, in a browser', async t => {
  const folder = elsewhere()
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  npm(folder, 'install', '--offline', tarball)
  cpSync(join(projectFolder, 'test/client-page'), folder, { recursive: true })
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc')
  const options = '--noEmit --strict --exactOptionalPropertyTypes --target es2022 --lib es2022,dom'
  const module = '--module esnext --moduleResolution bundler page.ts'
  const args = [tsc, ...options.split(' '), ...module.split(' ')]
  const compiled = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  t.strictSame([compiled.status, compiled.stdout], [0, ''], 'its types fit')
  await build({ entryPoints: [join(folder, 'page.ts')], bundle: true, splitting: true, format: 'esm', outdir: folder })

  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://page')
    const name = pathname === '/' ? 'index.html' : pathname.slice(1)
    response.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.end(readFileSync(join(folder, name)))
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const demo = run(t, 'env', [process.execPath, 'scripts/demo.ts'], { cwd: projectFolder, env: { PORT: '0' } })
  const [, service = '', key = ''] = await demo.printed(
    /service +(http:\/\/\S+\/v1)[\s\S]*API key +(\S+)[\s\S]*delay=2/
  )

  const page = await newPage(t)
  const requests: Request[] = []
  page.on('request', request => {
    if (request.url().startsWith(service)) requests.push(request)
  })
  page.on('pageerror', error => t.fail(error.message))
  const open = async (settings: Record<string, string> = {}) => {
    requests.length = 0
    await page.goto(`${origin}/?${new URLSearchParams({ service, key, ...settings })}`)
    return said()
  }
  const said = async (before = 'Loading …') => {
    const status = page.locator('#status')
    await status.and(page.locator(`:not(:text-is(${JSON.stringify(before)}))`)).waitFor()
    return status.textContent()
  }
  const shown = () => page.locator('#pets li').allTextContents()

  await t.test('list, load more, create, with a trace header', async t => {
    t.equal(await open(), 'Loaded, with 1 requests.')
    t.strictSame((await shown()).slice(0, 2), ['1 Rex', '2 Mia'])
    await page.click('#more')
    t.equal(await said('Loaded, with 1 requests.'), 'Loaded, with 2 requests.')
    t.strictSame(
      (await shown()).map(each => Number.parseInt(each, 10)),
      [1, 2, 3, 4, 5, 6]
    )
    await page.fill('input', 'Bello')
    await page.click('form button')
    t.equal(await said('Loaded, with 2 requests.'), 'Added Bello as 3001.')
    t.strictSame(
      requests.map(each => [each.method(), each.headers().traceparent?.length]),
      [
        ['GET', 55],
        ['GET', 55],
        ['POST', 55]
      ]
    )
  })

  await t.test('a key that is not valid, 429 with a retry, 503', async t => {
    t.equal(await open({ key: 'wrong' }), 'Please log in: The API key is not valid.')
    t.equal(await open({ once: 'code=429' }), 'Loaded, with 2 requests.')
    t.match(await open({ prefer: 'code=503' }), /^error-status 503: listPets got 503 service_unavailable: /)
    t.strictSame(await shown(), [])
  })

  await t.test('timeout and abort', async t => {
    const limit = 'got no complete response from'
    t.equal(
      await open({ prefer: 'delay=5', timeout: '200' }),
      `timeout : listPets ${limit} ${service}/pets within 200 ms`
    )
    t.equal(await open({ prefer: 'delay=5', abort: '200' }), 'The page was left.')
    t.match(await open({ service: 'http://127.0.0.1:1/v1' }), /^network : listPets got no response/)
  })
})
