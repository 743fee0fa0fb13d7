import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { releasesIn } from '../../document/src/releases.ts'
import { animals, folderWith } from './contract-command.ts'

const today = ['--today', '2026-11-20'] as const

t.test('releases: contract release copies the bytes and writes a checksum for sha256sum', async t => {
  const { contract, read, write } = folderWith(t, { 'openapi.yaml': `${animals()}# An end without a line` })
  t.match(await contract('release', ...today), { status: 0, stdout: /Released: openapi\/releases\/1\.0\.0\.yaml\n$/ })
  t.equal(read('openapi/releases/1.0.0.yaml'), read('openapi.yaml'))
  write('openapi.yaml', animals({ version: '1.1.0', maximum: 200 }))
  t.match(await contract('release', ...today), { status: 0, stdout: /Released: openapi\/releases\/1\.1\.0\.yaml\n$/ })
  const line = (name: string) => {
    const sum = createHash('sha256')
      .update(read(`openapi/releases/${name}`))
      .digest('hex')
    return `${sum}  ${name}\n`
  }
  t.equal(read('openapi/releases/SHA256SUMS'), line('1.0.0.yaml') + line('1.1.0.yaml'))
})

t.test('releases: contract release adds what has changed to the changelog, newest first', async t => {
  const { contract, read, write } = folderWith(t, { 'openapi.yaml': animals() })
  const log = 'openapi/releases/CHANGELOG.md'
  await contract('release', '--today', '2026-11-01')
  const first = '## 1.0.0 (2026-11-01)\n\nFirst release.\n'
  t.equal(read(log), `# Changelog\n\n${first}`)
  write(log, `# Animals\n\nBy hand.\n\n${first}\nThanks!\n`)
  write('openapi.yaml', animals({ version: '1.1.0', maximum: 200 }))
  await contract('release', ...today)
  const changed = '- `GET /pets`: The query parameter `limit` may now be at most 200; it was at most 100.'
  const second = `## 1.1.0 (2026-11-20)\n\n### Changed\n\n${changed}\n`
  t.equal(read(log), `# Animals\n\nBy hand.\n\n${second}\n${first}\nThanks!\n`)
})

t.test('releases: a release that cannot be completed loses nothing, and can be made again', async t => {
  const { contract, changes, read, write, folder } = folderWith(t, { 'openapi.yaml': animals() })
  await contract('release', ...today)
  write('openapi.yaml', animals({ version: '2.0.0', maximum: 50 }))
  const [{ fingerprint }] = JSON.parse((await changes('--format', 'json')).stdout).changes.findings
  await contract('approve', fingerprint, '--reason', 'so', '--until', '2026-12-31', ...today)
  const approvals = read('openapi/approvals.yaml')
  const [log, sums] = ['openapi/releases/CHANGELOG.md', 'openapi/releases/SHA256SUMS'] as const
  const copy = 'openapi/releases/2.0.0.yaml'
  const before = [read(log), read(sums)]

  mkdirSync(join(folder, `${log}.new`))
  t.match(await contract('release', ...today), { status: 3, stderr: 'CHANGELOG.md.new' })
  t.strictSame([read(log), read(sums), read('openapi/approvals.yaml')], [...before, approvals])
  rmSync(join(folder, `${log}.new`), { recursive: true })
  mkdirSync(join(folder, copy))
  t.match(await contract('release', ...today), { status: 3, stderr: '2.0.0.yaml' })
  t.match(read(log), 'Reason: so')
  t.equal(read('openapi/approvals.yaml'), approvals)
  rmSync(join(folder, copy), { recursive: true })
  t.match(await contract('release', ...today), { status: 0 })
  t.strictSame(read(log).match(/^## .*$/gm), ['## 2.0.0 (2026-11-20)', '## 1.0.0 (2026-11-20)'])
})

t.test('releases: nothing is released if the check fails, or the version exists or is invalid', async t => {
  const { contract, write, folder } = folderWith(t, { 'openapi.yaml': animals() })
  const release = () => contract('release', ...today)
  t.match(await release(), { status: 0 })
  t.match(await release(), {
    status: 1,
    stderr: 'Nothing was released: 1.0.0 is already released: change info.version.'
  })
  write('openapi.yaml', animals({ maximum: 50 }))
  t.match(await release(), { status: 1, stdout: /BREAKING/, stderr: 'Nothing was released: the check has failed.' })
  write('openapi.yaml', animals({ maximum: 200 }))
  t.match(await release(), { status: 1, stdout: /call for 1\.1\.0 or later/ })
  write('openapi.yaml', animals({ version: 'v2' }))
  t.match(await release(), { status: 1, stderr: /info\.version is v2, not a semantic version like 1\.2\.0\.\n$/ })
  write('openapi.yaml', '{}')
  t.match(await release(), { status: 3 })
  t.equal(releasesIn(join(folder, 'openapi/releases'), 'openapi.yaml').length, 1)
})

t.test('releases: a changed, missing or additional file fails the check', async t => {
  const { contract, changes, write, folder } = folderWith(t, { 'openapi.yaml': animals() })
  await contract('release', ...today)
  write('openapi/releases/README.md', 'Not a release.')
  t.match(await changes(), { status: 0 })
  write('openapi/releases/1.0.0.yaml', `${animals()}# More\n`)
  t.match(await changes(), {
    status: 1,
    stdout:
      /^openapi\/releases\/1\.0\.0\.yaml:1:1\n {2}ERROR +openapi\/releases\/1\.0\.0\.yaml was changed after its release: restore it\.\n +release-changed/m
  })
  write('openapi/releases/1.0.0.yaml', animals())
  write('openapi/releases/0.9.0.yaml', animals({ version: '0.9.0' }))
  t.match(await changes(), { status: 1, stdout: /0\.9\.0\.yaml is not in openapi\/releases\/SHA256SUMS/ })
  rmSync(join(folder, 'openapi/releases/0.9.0.yaml'))
  rmSync(join(folder, 'openapi/releases/1.0.0.yaml'))
  t.match(await changes(), {
    status: 1,
    stdout:
      /^openapi\/releases\/SHA256SUMS:1:1\n {2}ERROR +openapi\/releases\/1\.0\.0\.yaml was released and is missing: restore it\./m
  })
  rmSync(join(folder, 'openapi/releases/SHA256SUMS'))
  write('openapi/releases/1.0.0.yaml', animals())
  write('openapi/releases/0.9.0.yaml', animals({ version: '0.9.0' }))
  t.match(await changes(), {
    status: 1,
    stdout:
      /^openapi\/releases\/SHA256SUMS:1:1\n {2}ERROR +openapi\/releases\/SHA256SUMS is missing: restore it\.\n +release-changed\n\n/m
  })
  write('openapi/releases/SHA256SUMS', 'nonsense\n')
  t.match(await changes(), {
    status: 1,
    stdout: /^openapi\/releases\/SHA256SUMS:1:1\n {2}ERROR +This is not a line of sha256sum\./m
  })
})

t.test('releases: a missing folder fails the check if git knows of it', async t => {
  const { contract, changes, git, write, read, folder } = folderWith(t, { 'openapi.yaml': animals() })
  git('init', '--quiet')
  t.match(await changes(), { status: 3, stderr: /openapi\/releases has no release; / }, 'without a commit')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
  t.match(await changes(), { status: 3 }, 'without a release')
  await contract('release', ...today)
  git('add', '.')
  git('commit', '--quiet', '--message', 'two')
  rmSync(join(folder, 'openapi'), { recursive: true })
  const gone =
    /openapi\/releases\/SHA256SUMS:1:1 ERROR openapi\/releases held releases in commit (\w{7,}) and holds none now: restore it, `git restore --source \1 openapi\/releases`\. release-changed/
  const lost = async () => {
    const { status, stdout } = await changes()
    return { status, stdout: stdout.replace(/\s+/g, ' ') }
  }
  t.match(await lost(), { status: 1, stdout: gone }, 'before the commit')
  write('openapi/notes.md', '')
  git('add', '.')
  git('commit', '--quiet', '--message', 'three')
  t.match(await lost(), { status: 1, stdout: gone }, 'and after it')
  t.match(await contract('release', ...today), { status: 1, stderr: 'Nothing was released: the check has failed.' })
  git('restore', '--source', gone.exec((await lost()).stdout)?.[1] ?? '', 'openapi/releases')
  t.match(await changes(), { status: 0 })
  t.equal(read('openapi/releases/1.0.0.yaml'), animals())
})

t.test('releases: a configured folder may be empty before the first release, and only then', async t => {
  const { contract, changes, git, folder } = folderWith(t, {
    'openapi.yaml': animals(),
    'contract.config.json': '{ "releases": "published" }'
  })
  const first = /no release is published yet, and `contract release` makes the first; version 1\.0\.0\n$/
  const unknown = /^published\/SHA256SUMS:1:1\n {2}note +Whether published held releases before cannot be told without/
  t.match(await changes(), { status: 0, stdout: unknown }, 'without git')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
  const { status, stdout } = await changes()
  t.match({ status, stdout }, { status: 0, stdout: first })
  t.notMatch(stdout, unknown, 'the whole history has no release')
  t.match(await contract('release', ...today), { status: 0, stdout: /Released: published\/1\.0\.0\.yaml\n$/ })
  t.match(await changes(), { status: 0, stdout: /the interface has not changed/ })
  git('add', '.')
  git('commit', '--quiet', '--message', 'two')
  rmSync(join(folder, 'published'), { recursive: true })
  t.match(await changes(), { status: 1, stdout: /published held releases in commit \w{7,} and holds none now/ })
})

t.test('releases: a file instead of the folder cannot be loaded', async t => {
  const { changes } = folderWith(t, {
    'openapi.yaml': animals(),
    'contract.config.json': '{ "releases": "openapi.yaml" }'
  })
  t.match(await changes(), { status: 3, stderr: /^changes: openapi\.yaml: the releases must be a folder\n$/ })
})

t.test('releases: the newest release is that with the highest version', async t => {
  const { folder, write } = folderWith(t)
  for (const name of ['1.9.0.yaml', '1.10.0.json', '1.10.0-rc.1.yml', 'notes.yaml', '2.0.0.txt', '1.2.0/api.yaml'])
    write(name, '')
  t.strictSame(
    releasesIn(folder, 'openapi/api.yaml').map(({ file }) => file.slice(folder.length + 1)),
    ['1.2.0/api.yaml', '1.9.0.yaml', '1.10.0-rc.1.yml', '1.10.0.json']
  )
  t.strictSame(releasesIn(join(folder, 'nowhere'), 'api.yaml'), [])
})

t.test('releases: a contract with several files is released as a folder', async t => {
  const more = "    post: { $ref: './parts/add.yaml' }\n"
  const add = "responses: { '201': { $ref: 'more/made.yaml#/made' } }\n"
  const { contract, changes, write, read } = folderWith(t, {
    'api/openapi.yaml': animals({ more }),
    'api/parts/add.yaml': add,
    'api/parts/more/made.yaml': 'made: { description: Made }\n',
    'api/unused.yaml': ''
  })
  const args = ['--contract', 'api/openapi.yaml', ...today] as const
  t.match(await contract('release', ...args), { status: 0, stdout: /Released: openapi\/releases\/1\.0\.0\n$/ })
  for (const name of ['openapi.yaml', 'parts/add.yaml', 'parts/more/made.yaml']) {
    t.equal(read(`openapi/releases/1.0.0/${name}`), read(`api/${name}`))
  }
  t.match(
    read('openapi/releases/SHA256SUMS'),
    /^\w{64} {2}1\.0\.0\/openapi\.yaml\n\w{64} {2}1\.0\.0\/parts\/add\.yaml\n\w{64} {2}1\.0\.0\/parts\/more\/made\.yaml\n$/
  )
  const check = () => changes('--contract', 'api/openapi.yaml')
  t.match(await check(), { status: 0, stdout: /compared with openapi\/releases\/1\.0\.0\/openapi\.yaml/ })
  write('api/parts/add.yaml', add.replace('201', '202'))
  t.match(await check(), { status: 1 })
})

t.test('releases: a contract that refers to files outside its folder is refused', async t => {
  const { contract, folder } = folderWith(t, {
    'api/openapi.yaml': animals({ more: "    post: { $ref: '../shared/add.yaml' }\n" }),
    'shared/add.yaml': "responses: { '201': { description: Made } }\n"
  })
  t.match(await contract('release', '--contract', 'api/openapi.yaml', ...today), {
    status: 1,
    stderr:
      'Nothing was released: The contract refers to shared/add.yaml, outside its folder: a release cannot include it.'
  })
  t.strictSame(releasesIn(join(folder, 'openapi/releases'), 'openapi.yaml'), [])
})

t.test('releases: they do not count where two other files are compared', async t => {
  const { contract, changes, write } = folderWith(t, { 'openapi.yaml': animals() })
  await contract('release', ...today)
  write('openapi.yaml', animals({ maximum: 50 }))
  write('openapi/releases/1.0.0.yaml', `${animals()}# More\n`)
  write('other/old.yaml', animals())
  write('other/new.yaml', animals({ maximum: 200 }))
  const other = ['--contract', 'other/new.yaml'] as const
  t.match(await changes(...other, '--against', 'other/old.yaml'), { status: 0, stdout: /changes: 1 compatible/ })
  t.match(await changes(...other, '--against', 'other/old.yaml', '--check-version'), {
    status: 1,
    stdout: /call for 1\.1\.0 or later/
  })
  t.match(await changes(...other), { status: 1, stdout: /was changed after its release/ })
  t.match(await changes('--contract', 'openapi.yaml', '--against', 'other/old.yaml'), {
    status: 1,
    stdout: /was changed after its release/
  })
})

t.test('releases: a draft is frozen again until it is published', async t => {
  const draft = animals({ draft: true })
  const { contract, changes, read, write } = folderWith(t, { 'openapi.yaml': draft })
  const release = () => contract('release', ...today)
  const frozen = {
    status: 0,
    stderr: '',
    stdout: `changes: there is nothing to compare openapi.yaml with: no release is published yet, and \`contract release\` makes the first; version 1.0.0

Frozen: openapi/releases/1.0.0.yaml, a draft. Freeze it again after each change; to publish it, remove info.x-draft.
`
  }
  t.match(await release(), frozen)
  t.match(await release(), frozen, 'also when nothing has changed')

  const narrowed = animals({ draft: true, maximum: 50 })
  write('openapi.yaml', narrowed)
  const stale =
    /^openapi\/releases\/1\.0\.0\.yaml:1:1\n {2}ERROR +openapi\/releases\/1\.0\.0\.yaml is an outdated draft: freeze it again with `contract release`\.\n +draft-outdated/m
  const { status, stdout } = await changes()
  t.equal(status, 1)
  t.match(stdout, stale)
  t.match(stdout, /BREAKING/, 'while nothing is published, the draft is compared with')
  t.notMatch(stdout, /contract approve/)
  t.notMatch(stdout, /call for/, 'but calls for no version')
  t.match(await release(), frozen)
  t.equal(read('openapi/releases/1.0.0.yaml'), narrowed)
  t.match(await changes(), { status: 0 })

  write('openapi.yaml', `${narrowed}# Words\n`)
  t.match(await changes(), { status: 1, stdout: stale }, 'also a comment has to be frozen')

  write('openapi.yaml', animals({ version: '0.9.0', draft: true }))
  t.match(await changes(), { status: 1, stdout: stale })
  t.match(await release(), { status: 0, stdout: /^Frozen: openapi\/releases\/0\.9\.0\.yaml/m })
  t.match(read('openapi/releases/SHA256SUMS'), /^\w{64} {2}0\.9\.0\.yaml\n$/, 'there is one draft at most')

  const published = animals()
  write('openapi.yaml', published)
  t.match(await release(), { status: 0, stdout: /^Released: openapi\/releases\/1\.0\.0\.yaml\n$/m })
  t.match(read('openapi/releases/SHA256SUMS'), /^\w{64} {2}1\.0\.0\.yaml\n$/)
  t.match(await changes(), { status: 0 })

  const refused = 'Nothing was released: 1.0.0 is already released: change info.version.'
  write('openapi.yaml', draft)
  t.match(await release(), { status: 1 }, 'a mark that comes later changes nothing')
  write('openapi.yaml', published)
  t.match(await release(), { status: 1, stderr: refused })
  write('openapi/releases/1.0.0.yaml', draft)
  t.match(await release(), { status: 1, stdout: /was changed after its release/ }, 'nor does one in the release')
  t.equal(read('openapi/releases/1.0.0.yaml'), draft, 'nothing is overwritten')
})

t.test('releases: a draft is compared with the published release, and frozen again only if that succeeds', async t => {
  const { contract, changes, write, folder } = folderWith(t, { 'openapi.yaml': animals() })
  const release = () => contract('release', ...today)
  await release()
  write('openapi.yaml', animals({ version: '1.1.0', draft: true, maximum: 200 }))
  t.match(await release(), { status: 0, stdout: /^Frozen: openapi\/releases\/1\.1\.0\.yaml/m })
  write('openapi.yaml', animals({ version: '1.1.0', draft: true, maximum: 150 }))
  const { stdout } = await changes()
  t.match(stdout, /compared with openapi\/releases\/1\.0\.0\.yaml/)
  t.notMatch(stdout, /BREAKING/, 'what a draft has announced may go')
  t.match(await release(), { status: 0 })
  write('openapi.yaml', animals({ version: '1.1.0', draft: true, maximum: 50 }))
  t.match(await release(), { status: 1, stdout: /BREAKING/, stderr: 'Nothing was released: the check has failed.' })
  write('openapi.yaml', animals({ version: '1.0.0', draft: true, maximum: 150 }))
  t.match(await release(), { status: 1, stdout: /call for 1\.1\.0 or later/ })
  t.equal(releasesIn(join(folder, 'openapi/releases'), 'openapi.yaml').length, 2)
})

t.test('releases: a draft with several files is replaced completely', async t => {
  const more = "    post: { $ref: './parts/add.yaml' }\n"
  const add = "responses: { '201': { description: Made } }\n"
  const { contract, changes, write, read } = folderWith(t, {
    'api/openapi.yaml': animals({ more, draft: true }),
    'api/parts/add.yaml': add
  })
  const args = ['--contract', 'api/openapi.yaml', ...today] as const
  t.match(await contract('release', ...args), { status: 0 })
  t.match(await changes('--contract', 'api/openapi.yaml'), { status: 0 })
  write('api/parts/add.yaml', add.replace('Made', 'Added'))
  t.match(await changes('--contract', 'api/openapi.yaml'), { status: 1, stdout: /draft-outdated/ })
  write('api/openapi.yaml', animals({ draft: true }))
  t.match(await contract('release', ...args), { status: 0, stdout: /^Frozen: openapi\/releases\/1\.0\.0\.yaml,/m })
  t.match(read('openapi/releases/SHA256SUMS'), /^\w{64} {2}1\.0\.0\.yaml\n$/)
  t.match(await changes('--contract', 'api/openapi.yaml'), { status: 0 })
})
