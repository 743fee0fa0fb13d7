import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, matchesGlob, relative } from 'node:path'
import type { Test } from 'tap'
import { type Running, run } from './start-server.ts'

/** What a Dockerfile's last stage has come to. */
export interface Image {
  /** What would be its root. Of the image that it is built from nothing is there. */
  root: string
  /** The full name of that one. */
  base: string
  workdir: string
  env: Record<string, string>
  labels: Record<string, string>
  user: string
  volumes: string[]
  ports: string[]
  stopSignal: string
  healthcheck: string[]
  cmd: string[]
}

const emptyImage = (root: string, base: string): Image => ({
  root,
  base,
  workdir: '/',
  env: {},
  labels: {},
  user: 'root',
  volumes: [],
  ports: [],
  stopSignal: '',
  healthcheck: [],
  cmd: []
})

/**
 * Does what the instructions of the folder's Dockerfile say, in folders outside of the project that are gone with the
 * test, with this Node.js and npm in the place of the image's. It knows only what that file uses.
 * https://docs.docker.com/reference/dockerfile/
 */
export const buildImage = async (t: Test, context: string): Promise<Image> => {
  const home = mkdtempSync(join(tmpdir(), 'image-'))
  chmodSync(home, 0o755)
  t.teardown(() => rmSync(home, { recursive: true }))
  const files = contextFiles(context, readFileSync(join(context, '.dockerignore'), 'utf8'))
  const stages = new Map<string, Image>()
  const args: Record<string, string> = {}
  let image: Image | undefined

  for (const [instruction, rest] of instructionsOf(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    const { options, words } = wordsOf(rest)
    if (instruction === 'FROM') {
      const [base = '', , name = 'last'] = words
      const root = join(home, name)
      mkdirSync(root)
      image = emptyImage(root, base)
      stages.set(name, image)
      continue
    }
    if (image === undefined) throw new Error(`${instruction} before FROM`)
    const stage: Image = image
    const inStage = (path: string) => join(stage.root, path.startsWith('/') ? path : join(stage.workdir, path))
    switch (instruction) {
      case 'ARG':
        Object.assign(args, pairsOf(rest))
        break
      case 'ENV':
        Object.assign(stage.env, pairsOf(rest))
        break
      case 'LABEL':
        Object.assign(stage.labels, pairsOf(rest.replace(/\$\{(\w+)\}/g, (_, name) => args[name] ?? '')))
        break
      case 'WORKDIR':
        stage.workdir = join(stage.workdir, rest)
        mkdirSync(inStage('.'), { recursive: true })
        break
      case 'COPY': {
        const sources = words.slice(0, -1)
        const target = words.at(-1) ?? ''
        const from = options.get('from')
        const other = from === undefined ? undefined : stages.get(from)?.root
        if (from !== undefined && other === undefined) throw new Error(`COPY from an unknown stage ${from}`)
        for (const source of sources) {
          const path = join(other ?? context, source)
          const isFolder = statSync(path).isDirectory()
          const place = inStage(!isFolder && target.endsWith('/') ? target + basename(source) : target)
          if (other !== undefined) cpSync(path, place, { recursive: true, verbatimSymlinks: true })
          else copyFiles(context, files, source, place)
          const owner = options.get('chown')
          if (owner !== undefined) own(place, owner)
        }
        break
      }
      case 'RUN': {
        const env = { ...stage.env, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' }
        const command = run(t, 'sh', ['-c', rest], { cwd: inStage('.'), env })
        const { code } = await command.ended
        if (code !== 0) throw new Error(`RUN ${rest}: ${code}\n${command.output().stderr}`)
        break
      }
      case 'USER':
        stage.user = rest
        break
      case 'VOLUME':
        stage.volumes.push(...words)
        break
      case 'EXPOSE':
        stage.ports.push(...words)
        break
      case 'STOPSIGNAL':
        stage.stopSignal = rest
        break
      case 'HEALTHCHECK':
        stage.healthcheck = execForm(rest.slice(rest.indexOf('CMD ') + 4))
        break
      case 'CMD':
        stage.cmd = execForm(rest)
        break
      default:
        throw new Error(`${instruction} is unknown here`)
    }
  }
  if (image === undefined) throw new Error('there is no FROM')
  return image
}

/** Runs a command as in a container of the image: with its environment, in its folder, and confined as far as possible. */
export const runIn = (t: Test, image: Image, command: string[], env: Record<string, string> = {}): Running => {
  const cwd = join(image.root, image.workdir)
  const { readOnlyRoot, asUser } = confinement(image)
  const args = [...readOnlyRoot, ...asUser, ...command]
  return run(t, 'env', args, { cwd, env: { ...image.env, ...env } })
}

/** What a command is preceded by so that it can write to the volume only, and is the image's user; empty if not possible. */
export const confinement = ({ root, user, volumes }: Image): { readOnlyRoot: string[]; asUser: string[] } => {
  const isRoot = process.getuid?.() === 0
  const isPossible = ([command = '', ...args]: string[]) => spawnSync(command, args).status === 0
  const script = `mount --bind /tmp /tmp && mount --bind "$0" "$0" &&
    mount -o remount,bind,ro /tmp && mount -o remount,bind,ro / && exec "$@"`
  const readOnlyRoot = ['unshare', isRoot ? '-m' : '-rm', 'sh', '-c', script, join(root, volumes[0] ?? '')]
  const [uid = '', gid = ''] = user.split(':')
  const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  // Only root can become another user, and this Node.js has to be within that one's reach.
  const hasReach = isRoot && isPossible([...asUser, process.execPath, '--version'])
  return { readOnlyRoot: isPossible([...readOnlyRoot, 'true']) ? readOnlyRoot : [], asUser: hasReach ? asUser : [] }
}

/** Everything in the image, with what changes when it is written to, except what is in its volumes. */
export const contentOf = ({ root, volumes }: Image): Map<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => !entry.isSymbolicLink())
      .map(entry => join(entry.parentPath, entry.name))
      .filter(path => !volumes.some(volume => path.startsWith(join(root, volume))))
      .map(path => {
        const { mode, size, mtimeMs, ino } = statSync(path)
        return [relative(root, path), `${mode} ${size} ${mtimeMs} ${ino}`]
      })
  )

const instructionsOf = (text: string): [instruction: string, rest: string][] =>
  text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [, instruction = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
      return [instruction, rest]
    })

const wordsOf = (rest: string) => {
  const words = rest.split(/ +/)
  const options = words.filter(word => word.startsWith('--')).map(word => word.slice(2).split('=', 2))
  return {
    options: new Map(options as [string, string][]),
    words: words.filter(word => !word.startsWith('--'))
  }
}

const pairsOf = (rest: string): Record<string, string> =>
  Object.fromEntries(
    [...rest.matchAll(/(\S+?)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, bare]) => [name, quoted ?? bare])
  )

/** As a list of words: a shell in front of it would not hand signals on. */
const execForm = (rest: string): string[] => {
  const words: unknown = JSON.parse(rest)
  if (!Array.isArray(words)) throw new Error(`${rest} is no list of words`)
  return words
}

/** The files that .dockerignore leaves. https://docs.docker.com/build/concepts/context/#syntax */
const contextFiles = (context: string, ignored: string): string[] => {
  const patterns = ignored.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const isIgnored = (path: string) => {
    const leading = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
    const last = patterns.findLast(pattern => leading.some(part => matchesGlob(part, pattern.replace(/^!/, ''))))
    return last !== undefined && !last.startsWith('!')
  }
  const filesIn = (folder: string): string[] =>
    readdirSync(join(context, folder), { withFileTypes: true }).flatMap(entry => {
      const path = join(folder, entry.name)
      if (!entry.isDirectory()) return isIgnored(path) ? [] : [path]
      const mayHold = !isIgnored(path) || patterns.some(pattern => pattern.startsWith(`!${path}/`))
      return mayHold ? filesIn(path) : []
    })
  return filesIn('')
}

const copyFiles = (context: string, files: string[], source: string, place: string) => {
  const copied = files.filter(file => file === source || file.startsWith(`${source}/`))
  if (copied.length === 0) throw new Error(`COPY: .dockerignore leaves nothing of ${source}`)
  for (const file of copied) {
    const target = join(place, relative(source, file))
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(context, file), target)
  }
}

const own = (path: string, owner: string) => {
  if (process.getuid?.() !== 0) return
  const [uid = 0, gid = 0] = owner.split(':').map(Number)
  lchownSync(path, uid, gid)
}
