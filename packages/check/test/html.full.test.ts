import t from 'tap'
import { newPage } from '../../../test/browser.ts'
import { requireNoViolations } from '../../../test/docs-checks.ts'
import { readDocument } from '../../document/src/document.ts'
import { rules } from '../src/changes/rules.ts'
import { changelogBlocks } from '../src/report/changelog.ts'
import { htmlOf } from '../src/report/html.ts'
import { formats } from '../src/report/report.ts'
import { findingsBetween } from './changes-between.ts'
import { documentOf } from './frames.ts'

t.test('html: axe finds nothing, and a narrow screen shows all of it', async t => {
  const findings = rules.flatMap(({ example: { in: frame, before, after, ...options } }) =>
    findingsBetween(frame, before, after, options)
  )
  const version = { step: 'major', before: '1.0.0', after: '2.0.0', next: '2.0.0', follows: true } as const
  const changes = {
    contract: 'api.yaml',
    against: 'old.yaml',
    findings,
    complaints: [],
    notes: [],
    version,
    today: '2026-11-28'
  }
  const report = { contract: 'api.yaml', unanswered: [], changes: { ...changes, checksVersion: true, fails: true } }
  const page = await newPage(t)
  const document = readDocument(documentOf('operation', ''), 'api.yaml')
  const pages = {
    report: formats.html([report]),
    changelog: htmlOf('Changelog', [{ heading: ['2.0.0'], level: 2 }, ...changelogBlocks(document, document, findings)])
  }
  for (const [what, html] of Object.entries(pages)) {
    await page.setContent(html)
    await requireNoViolations(t, page, what)
    await page.setViewportSize({ width: 320, height: 568 })
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, `the ${what} is no wider than the screen`)
  }
})
