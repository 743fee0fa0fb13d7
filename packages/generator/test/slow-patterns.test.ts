import { join } from 'node:path'
import t from 'tap'
import { lineOf } from '../../document/src/load-error.ts'
import { regexOf } from '../../document/src/regular-expression.ts'
import { derive } from '../src/generate.ts'
import { Report } from '../src/problems.ts'
import { slownessOf } from '../src/slow-patterns.ts'

t.test('patterns that can take long are warned of, with their place', async t => {
  const report = new Report()
  await derive(join(import.meta.dirname, 'fixtures/supported/patterns-that-backtrack.yaml'), report)
  const exponential = 'the time that it takes to reject a text can grow exponentially'
  const polynomial = 'the time that it takes to reject a text can grow with at least the square of its length'
  const [few, many] = ['rewrite it, or add a maxLength of at most 20', 'rewrite it, or add a maxLength of at most 1000']
  t.strictSame(
    report.warnings
      .map(lineOf)
      .filter(line => /the pattern/.test(line))
      .toSorted(),
    [
      `patterns-that-backtrack.yaml:16:33: the pattern ^(a+)+$: ${exponential}, as (a+)+ can match a text in several ways; ${few}`,
      `patterns-that-backtrack.yaml:17:32: the pattern ^([a-zA-Z0-9]+\\s?)*$: ${exponential}, as ([a-zA-Z0-9]+\\s?)* can match a text in several ways; ${few}`,
      `patterns-that-backtrack.yaml:18:33: the pattern ^(a|aa)+$: ${exponential}, as (a|aa)+ can match a text in several ways; ${few}`,
      `patterns-that-backtrack.yaml:19:32: the pattern ^[a-z]*[a-z0-9]*x$: ${polynomial}, as [a-z]* and [a-z0-9]* can match the same text; ${many}`,
      `patterns-that-backtrack.yaml:20:34: the pattern \\s+$: ${polynomial}, as \\s+ can match a text in several ways; ${many}`,
      `patterns-that-backtrack.yaml:25:28: the pattern ^x-(?:[a-z]+-?)+$: ${exponential}, as (?:[a-z]+-?)+ can match a text in several ways; ${few}`,
      `patterns-that-backtrack.yaml:7:69: the pattern ^(\\d+)*$: ${exponential}, as (\\d+)* can match a text in several ways; ${few}`
    ].toSorted()
  )
})

t.test('a pattern whose time grows with the length alone causes no warning, and others do', async t => {
  const isSlow = (pattern: string) => slownessOf(regexOf(pattern) as RegExp, undefined) !== undefined
  const slow = [
    ...[
      '^(a|a)*$',
      '^(.*)*$',
      '^a*a*$',
      '^([a-z]+)*@',
      '\\s*,\\s*$',
      '(x+x+)+y',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '^(.*a){10}$'
    ],
    ...[
      '^(?:[a-z0-9]+-?)+$',
      '^(\\d+)*\\.\\d+$',
      '^(?:a|b|ab)+c$',
      // Node.js 22 has no flags for a part of a pattern.
      process.versions.node < '24' ? '^((a+)+)$' : '^(?i:(a+)+)$',
      '^(?=(a+)+$)',
      '^\\A(a+)+\\Z',
      '^a{0,500}a{0,500}a{1,500}?$',
      '^([^,]*,?)*x$'
    ]
  ]
  const fast = [
    ...[
      '^[a-z]+$',
      '^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$',
      '^\\d{3}-\\d{4}$',
      '^[a-zA-Z0-9._-]+@[a-zA-Z0-9.-]+\\.[a-z]+$',
      '^a{0,500}a{0,500}$',
      '^(?:a{0,500}b){0,500}$',
      '^[^\\x00-\\x1f]{1,255}$',
      '^.{1,100}$'
    ],
    ...[
      '^(?:\\d+\\.)*\\d+$',
      '^(foo|bar)*$',
      '^(foo|foobar)*$',
      '^(?!-)[a-z-]+$',
      '^#?([a-f0-9]{6}|[a-f0-9]{3})$',
      '^\\p{L}+$'
    ],
    ...['^(a)\\1*$', '^(?:a|b)*c$', '^[a-z]{1,20}[a-z0-9]{1,20}$', '(?:)', '^$']
  ]
  t.strictSame(
    slow.filter(each => !isSlow(each)),
    []
  )
  t.strictSame(fast.filter(isSlow), [])
})

t.test('the more ways there are to read a text, the shorter it should be', async t => {
  const said = (pattern: string, maxLength?: number) =>
    /can grow (.*), as (.*); .* (\d+)$/.exec(slownessOf(regexOf(pattern) as RegExp, maxLength) ?? '')?.slice(1)
  const square = 'with at least the square of its length'
  t.strictSame(said('^a*a*$'), [square, 'a* and a* can match the same text', '1000'])
  const power = (of: number) => `with its length to the power of ${of}`
  t.strictSame(said('^a*b?a*c?a*$'), [power(3), 'a* and a* can match the same text', '144'])
  t.strictSame(said('^.*,.*,.*,.*$'), [power(4), '.* and .* can match the same text', '58'])
  t.strictSame(said('^(.*a){10}$'), [power(10), '(.*a){10} can match a text in several ways', '16'])
  t.strictSame(said('^x*y*x*y*$'), [square, 'x* and x* can match the same text', '1000'])
  t.strictSame(said('^\\w{0,300}\\d{0,300}[0-9a]{0,300}$'), [
    power(3),
    'its long repetitions can match the same text',
    '144'
  ])
  t.strictSame(said('^(?:a{0,200}-?){0,200}$'), ['exponentially', 'its long repetitions can match the same text', '20'])
  t.equal(said('^(.*a){10}$', 16), undefined)
  t.ok(said('^(.*a){10}$', 17))
})
