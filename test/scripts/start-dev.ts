import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'

const root = join(import.meta.dirname, '../..')

// A stand-in for the server that responds with generated content, and exits on SIGTERM.
const server = `
import { createServer } from 'node:http'
import { operations } from '../generated/operations.ts'
const server = createServer((_request, response) => {
  response.setHeader('connection', 'close')
  response.end(operations.listPets.path)
})
server.listen(0, '127.0.0.1', () => console.log('server:', JSON.stringify(server.address())))
process.on('SIGTERM', () => server.close(() => console.log('server: ended')))
`

/** Waits without a time limit of its own, so that a slow machine does not matter. */
export const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await delay(50)
}

/** The development loop on a copy of this project, ended with the test. */
export const startDev = async (t: Test) => {
  const folder = t.testdir()
  for (const part of ['openapi', 'scripts', 'packages', 'tsconfig.json', 'biome.json', 'package.json', 'LICENSE']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: path => !/\/(?:dist|test)$/.test(path) })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'src/main.js'), join(folder, 'src/main.js'))
  writeFileSync(join(folder, 'src/main.ts'), server)
  // The types of JSON.rawJSON, which TypeScript does not have yet.
  writeFileSync(join(folder, 'src/rawjson.d.ts'), 'interface JSON { rawJSON(text: string): unknown }\n')

  // tap sets NODE_OPTIONS for every child process: the compiler cannot be loaded with its loader.
  const dev: ChildProcess = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, 'scripts/dev.ts'], {
    cwd: folder,
    env: process.env,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const ended = once(dev, 'exit')
  // It ends its server first, which would outlive it.
  t.teardown(() => dev.kill('SIGTERM') && ended)
  let output = ''
  for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', chunk => (output += chunk))
  return {
    dev,
    /** What the server that has started last responds, or `none` without one. */
    served: async () => {
      const port = [...output.matchAll(/server: .*"port":(\d+)/g)].at(-1)?.[1]
      if (port === undefined) return 'none'
      return fetch(`http://127.0.0.1:${port}/`).then(
        response => response.text(),
        () => 'none'
      )
    },
    /** Changes a file, and returns a function for what dev prints from then on. */
    edit: (file: string, from: string, to: string) => {
      const path = join(folder, file)
      const text = readFileSync(path, 'utf8')
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
      const before = output.length
      writeFileSync(path, text.replace(from, to))
      return () => output.slice(before)
    },
    output: () => output
  }
}
