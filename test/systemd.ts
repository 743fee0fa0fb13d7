import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Test } from 'tap'
import { projectFolder, type Running, resultOf, run } from './start-server.ts'

/** The origin of a service that logs in JSON, as seen from this machine. */
export const originOf = async (service: Running): Promise<string> => {
  const [, port] = await service.printed(/"service":"http:[^"]*:(\d+)\/v1"/)
  return `http://127.0.0.1:${port}`
}

const create = (origin: string, key: string) =>
  fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: '{"name":"Rex","categoryId":1}'
  })

export type Unit = Map<string, string[]>

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html */
const readUnit = (name: string): Unit => {
  const unit: Unit = new Map()
  for (const line of readFileSync(join(projectFolder, 'deploy', name), 'utf8').split('\n')) {
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (key !== undefined) unit.set(key, [...(unit.get(key) ?? []), value])
  }
  return unit
}

export const only = (unit: Unit, key: string): string => {
  const values = unit.get(key) ?? []
  if (values.length !== 1) throw new Error(`${key} is there ${values.length} times`)
  return values[0] ?? ''
}

export const units = ['animal-store.service', 'animal-store-backup.service', 'animal-store-backup.timer']
export const service = readUnit('animal-store.service')
export const backup = readUnit('animal-store-backup.service')
export const settingsText = readFileSync(join(projectFolder, 'deploy', 'animal-store.env'), 'utf8')
/** The unit as installed in the project's folder, with its state in the given folder. */
export const placed = (text: string, state = '/var/lib') =>
  text.replaceAll('/opt/animal-store', projectFolder.replace(/\/$/, '')).replaceAll('/var/lib', state)

const canAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
export const onlyAnalyzed = canAnalyze ? {} : { skip: 'there is no systemd-analyze here' }
/** Runs the service and a backup with the commands of the units; `confine` says how each is started. */
export const life = async (t: Test, confine: (unit: Unit, command: string[]) => string[]) => {
  const state = t.testdir({ 'animal-store': {}, 'animal-store-backups': {} })
  const backups = join(state, 'animal-store-backups')
  const settingsFile = join(state, 'animal-store.env')
  writeFileSync(settingsFile, placed(settingsText, state))
  const cwd = placed(only(service, 'WorkingDirectory'))
  const env = {
    ...(parseEnv(placed(settingsText, state)) as Record<string, string>),
    ...(parseEnv(only(service, 'Environment').replaceAll(' ', '\n')) as Record<string, string>),
    PORT: '0',
    OPERATOR_PORT: '0'
  }
  const perform = (unit: Unit, line: string) => {
    const words = [...placed(line, state).matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) =>
      (quoted ?? bare ?? '').replace(/%S|%%|\$\$/g, found => (found === '%S' ? state : found.slice(1)))
    )
    const [command = '', ...args] = confine(unit, words)
    return run(t, command, args, { cwd, env })
  }
  // As an operator would at the prompt.
  const issue = [`--env-file=${settingsFile}`, 'src/main.js', 'keys', 'issue', '--name', 'web']
  const key = (await resultOf(run(t, process.execPath, issue, { cwd }))).stdout.trim()
  t.match(key, /^ast_live_\w+$/)

  const running = perform(service, only(service, 'ExecStart'))
  const origin = await originOf(running)
  t.equal((await create(origin, key)).status, 201)
  const [, operators] = await running.printed(/"operators":"([^"]+)"/)
  for (const url of [`${origin}/docs/`, `${origin}/openapi.json`, `${operators}/readyz`, `${operators}/metrics`])
    t.equal((await fetch(url, { headers: { connection: 'close' } })).status, 200, url)

  const daysAgo = (path: string, days: number) => {
    const time = Date.now() / 1000 - days * 86_400 - 60
    utimesSync(join(backups, path), time, time)
  }
  for (const [name, days] of [
    ['animals-13.db', 13],
    ['animals-15.db', 15]
  ] as const) {
    writeFileSync(join(backups, name), '')
    daysAgo(name, days)
  }
  for (const step of ['ExecStart', 'ExecStartPost'])
    t.match(await resultOf(perform(backup, only(backup, step))), { code: 0, stderr: '' }, step)
  const [kept, made = '', ...others] = readdirSync(backups).toSorted()
  t.strictSame([kept, others], ['animals-13.db', []])
  t.match(made, /^animals-\d{8}T\d{6}Z\.db$/)

  running.process.kill(only(service, 'KillSignal') as NodeJS.Signals)
  t.equal((await running.ended).code, 0)
}

/**
 * The system calls that a unit allows, with the groups of this machine's systemd.
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#SystemCallFilter=
 */
export const allowedCalls = (unit: Unit): Set<string> => {
  const groups = new Map<string, string[]>()
  let group: string[] = []
  for (const line of spawnSync('systemd-analyze', ['syscall-filter'], { encoding: 'utf8' }).stdout.split('\n')) {
    const [, indent = '', name = ''] = /^( *)(@?[\w-]+)$/.exec(line) ?? []
    if (indent !== '') group.push(name)
    else if (name !== '') {
      group = []
      groups.set(name, group)
    }
  }
  const callsOf = (name: string): string[] =>
    name.startsWith('@') ? (groups.get(name) ?? []).flatMap(callsOf) : [name]
  const allowed = new Set(callsOf('@default'))
  for (const line of unit.get('SystemCallFilter') ?? []) {
    const calls = line.replace(/^~/, '').split(' ').flatMap(callsOf)
    for (const call of calls) line.startsWith('~') ? allowed.delete(call) : allowed.add(call)
  }
  return allowed
}
