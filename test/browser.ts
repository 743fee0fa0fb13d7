import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page
} from 'playwright-core'
import type { Test } from 'tap'

/** `launchBrowser`, closed with the test. */
export const openBrowser = async (t: Test, options: Pick<LaunchOptions, 'args'> = {}): Promise<Browser> => {
  const browser = await launchBrowser(options)
  t.teardown(() => browser.close())
  return browser
}

export const openContext = async (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patienceMs)
  return context
}

/** A page in its own browser. */
export const newPage = async (t: Test): Promise<Page> => (await openContext(await openBrowser(t))).newPage()

// Only guards against hangs: a step takes a second, but many times that on a busy machine.
const patienceMs = 180_000

/**
 * Chromium: on Linux the one from the dependencies, elsewhere an installed one.
 * @throws Error if there is none
 */
export const launchBrowser = async ({ args = [] }: Pick<LaunchOptions, 'args'> = {}): Promise<Browser> => {
  const browser = await installed()
  return chromium.launch({
    ...browser,
    args: [...(browser.args ?? []), ...args],
    timeout: patienceMs,
    // The sandbox needs privileges that a container lacks; the pages are our own.
    chromiumSandbox: false
  })
}

const installed = async (): Promise<LaunchOptions> => {
  if (process.platform === 'linux' && process.arch === 'x64') return bundled()
  const channels = ['chrome', 'chromium', 'msedge']
  for (const channel of channels) {
    const launched = await chromium.launch({ channel }).catch(() => undefined)
    await launched?.close()
    if (launched !== undefined) return { channel }
  }
  const path = '/usr/bin/chromium'
  if (existsSync(path)) return { executablePath: path }
  throw new Error(`no browser was found: install Chrome or Chromium (looked for ${channels.join(', ')} and ${path})`)
}

// Without these, a page that loads on a busy machine may never draw anything, so that no click happens: 6 of 556
// pages in three browsers, beside four busy loops on two cores; with these, none of 319.
const drawing = ['--use-gl=angle', '--use-angle=swiftshader', '--ignore-gpu-blocklist']

/** Unpacked once from the dependencies' archive. */
const bundled = async (): Promise<LaunchOptions> => {
  const archives = fileURLToPath(new URL('../bin', import.meta.resolve('@sparticuz/chromium')))
  const { version } = JSON.parse(readFileSync(join(dirname(archives), 'package.json'), 'utf8'))
  const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const unpacked = mkdtempSync(join(cache, 'chromium-'))
    await unpack(archives, unpacked)
    try {
      renameSync(unpacked, folder)
    } catch (error) {
      // Another test was faster.
      rmSync(unpacked, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  const executablePath = join(folder, 'chromium')
  const env = { ...(process.env as Record<string, string>) }
  // Only if needed, since the machine's own libraries and fonts fit better.
  if (/not found/.test(execFileSync('ldd', [executablePath], { encoding: 'utf8' })))
    env.LD_LIBRARY_PATH = [join(folder, 'al2023/lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter)
  if (!existsSync('/etc/fonts')) env.FONTCONFIG_PATH = join(folder, 'fonts')
  return { executablePath, env, args: drawing }
}

const unpack = async (archives: string, folder: string) => {
  const { inflate } = await import('@sparticuz/chromium')
  const before = process.env.TMPDIR
  // The package always unpacks to the folder for temporary files.
  process.env.TMPDIR = folder
  try {
    if (tmpdir() !== folder) throw new Error(`${folder} was not taken as the folder for temporary files`)
    await Promise.all(readdirSync(archives).map(name => inflate(join(archives, name))))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}
