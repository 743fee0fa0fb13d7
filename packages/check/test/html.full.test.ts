import t from 'tap'
import { newPage } from '../../../test/browser.ts'
import { requireNoViolations } from '../../../test/docs-checks.ts'
import { rules } from '../src/changes/rules.ts'
import { formats } from '../src/report/report.ts'
import { findingsBetween } from './changes-between.ts'

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
  for (const format of ['html'] as const) {
    await page.setContent(formats[format](report))
    await requireNoViolations(t, page, format)
    await page.setViewportSize({ width: 320, height: 568 })
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, `${format} is no wider than the screen`)
  }
})
