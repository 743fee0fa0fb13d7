import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { atRevision, loadDocument } from '../src/document.ts'
import { checkSeveralFiles, contract, refusal, severalFiles } from './read-documents.ts'

t.test('a git revision', t => {
  const folder = t.testdir({ 'x.yaml': '', openapi: severalFiles })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args])
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
  git('tag', 'v1')
  writeFileSync(join(folder, 'openapi/main.yaml'), stringify(contract()))
  writeFileSync(join(folder, 'openapi/schemas/Pet.yaml'), 'nonsense')
  git('rm', '--quiet', 'openapi/schemas/My tag.yaml')
  git('add', '.')

  checkSeveralFiles(t, loadDocument('HEAD:openapi/main.yaml', { cwd: folder }), 'HEAD:openapi/')
  checkSeveralFiles(t, loadDocument('v1:openapi/main.yaml', { cwd: join(folder, 'openapi') }), 'v1:openapi/')
  checkSeveralFiles(t, loadDocument('main:./main.yaml', { cwd: join(folder, 'openapi') }), 'main:openapi/')
  checkSeveralFiles(t, loadDocument('v1:../main.yaml', { cwd: join(folder, 'openapi/paths') }), 'v1:openapi/')
  const staged = loadDocument(':openapi/main.yaml', { cwd: folder })
  t.strictSame(staged.root.value, contract(), 'no revision is the index')

  t.equal(atRevision('v1', 'openapi/main.yaml', folder), 'v1:openapi/main.yaml')
  t.equal(atRevision('v1', 'main.yaml', join(folder, 'openapi')), 'v1:openapi/main.yaml')
  t.equal(atRevision('v1', join(folder, 'openapi/main.yaml')), 'v1:openapi/main.yaml')

  const refused = (where: string, cwd = folder) => refusal(() => loadDocument(where, { cwd }))
  const unknown = 'here; a shallow clone lacks most of them'
  t.strictSame(refused('v2:openapi/main.yaml'), [
    `v2:openapi/main.yaml: there is no such file, and git knows no revision v2 ${unknown}`
  ])
  t.strictSame(refused('origin/HEAD:a'), [
    'origin/HEAD:a: there is no such file, and git knows no revision origin/HEAD here; `git remote set-head origin --auto` asks origin for it'
  ])
  t.strictSame(refused('--help:a'), [`--help:a: there is no such file, and git knows no revision --help ${unknown}`])
  t.strictSame(refused('v1:main.yaml'), ['v1:main.yaml: there is no such file in v1'])
  t.strictSame(refused(':main.yaml'), [':main.yaml: there is no such file in the index'])
  t.strictSame(refused('v1:openapi'), ['v1:openapi: this is a folder, not a file'])
  t.strictSame(refused('v1:x.yaml'), ['v1:x.yaml: the file is empty'])
  git('commit', '--quiet', '--message', 'two')
  git('checkout', '--quiet', 'v1', '--', 'openapi/main.yaml', 'openapi/schemas/Pet.yaml')
  git('commit', '--quiet', '--message', 'three')
  t.strictSame(refused('HEAD:openapi/main.yaml'), [
    "HEAD:openapi/shared.json:1:153: $ref 'schemas/My%20tag.yaml' points to nothing; there is no such file in HEAD"
  ])
  writeFileSync(join(folder, 'v1:openapi.yaml'), stringify(contract()))
  t.strictSame(loadDocument('v1:openapi.yaml', { cwd: folder }).root.value, contract(), 'an existing file comes first')
  t.end()
})

t.test('a repository without commits', t => {
  const folder = t.testdir()
  execFileSync('git', ['-C', folder, 'init', '--quiet'])
  t.strictSame(
    refusal(() => loadDocument('HEAD:a.yaml', { cwd: folder })),
    ['HEAD:a.yaml: there is no such file, and git knows no revision HEAD here; there are no commits yet']
  )
  t.end()
})

t.test('without git', t => {
  const folder = t.testdir({ 'a.yaml': '' })
  // The folder of the tests is in a repository.
  const { GIT_CEILING_DIRECTORIES: ceiling, PATH: path } = process.env
  t.teardown(() => {
    process.env.PATH = path
    if (ceiling === undefined) delete process.env.GIT_CEILING_DIRECTORIES
  })
  process.env.GIT_CEILING_DIRECTORIES = join(folder, '..')
  const none = `there is no such file, and ${folder} is not in a git repository`
  t.strictSame(
    refusal(() => loadDocument('HEAD:a.yaml', { cwd: folder })),
    [`HEAD:a.yaml: ${none}`]
  )
  t.strictSame(
    refusal(() => atRevision('HEAD', 'a.yaml', folder)),
    [`HEAD: ${none}`]
  )
  process.env.PATH = folder
  t.strictSame(
    refusal(() => loadDocument('HEAD:a.yaml', { cwd: folder })),
    ['HEAD:a.yaml: git is not installed']
  )
  t.end()
})
