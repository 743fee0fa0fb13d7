import type { Rule, Rules } from './rule.ts'

const announcement = (title: string, level: Rule['level'], why: string, before: string, after: string): Rule => ({
  title,
  level,
  category: 'wire',
  lasting: true,
  why,
  example: { in: 'operation', before, after }
})

/** A property of a response. */
const property = (before: string, today: string): Rule['example'] => ({
  in: 'response',
  before: `properties: { age: { type: integer${before} }, name: { type: string } }`,
  after: 'properties: { name: { type: string } }',
  today
})

/** Rules about lifecycles: of operations and, except for the last rule, of parameters and properties. */
export const rulesOfLifecycle = {
  'deprecation-announced': announcement(
    'Something is deprecated',
    'compatible',
    'It still works.',
    '',
    'deprecated: true'
  ),
  'deprecation-lifted': announcement(
    'Something is no longer deprecated',
    'compatible',
    'It stays.',
    'deprecated: true',
    ''
  ),
  'sunset-date-invalid': announcement(
    'A date is invalid',
    'breaking',
    'It is unclear what was announced.',
    'deprecated: true',
    '{ deprecated: true, x-sunset: in spring }'
  ),
  'sunset-date-missing': announcement(
    'A deprecation has a start but no sunset date',
    'breaking',
    'Clients cannot plan, and it may never be removed.',
    'deprecated: true',
    '{ deprecated: true, x-deprecated-since: 2026-11-20 }'
  ),
  'lifecycle-contradictory': announcement(
    'Two announcements contradict each other',
    'breaking',
    'It is unclear which of them counts.',
    'x-stability: beta',
    '{ x-stability: beta, x-stability-level: stable }'
  ),
  'sunset-date-withdrawn': announcement(
    'A sunset date was withdrawn, but the deprecation was not',
    'breaking',
    'Clients have planned for it.',
    '{ deprecated: true, x-sunset: 2030-12-05 }',
    'deprecated: true'
  ),
  'sunset-date-moved-earlier': announcement(
    'A sunset date was moved to an earlier day',
    'breaking',
    'Clients have planned for the later one.',
    '{ deprecated: true, x-sunset: 2030-12-05 }',
    '{ deprecated: true, x-sunset: 2029-12-05 }'
  ),
  'sunset-date-moved-later': announcement(
    'A sunset date was moved to a later day',
    'compatible',
    'It works for longer.',
    '{ deprecated: true, x-sunset: 2029-12-05 }',
    '{ deprecated: true, x-sunset: 2030-12-05 }'
  ),
  'sunset-notice-too-short': announcement(
    'A sunset is too soon',
    'breaking',
    'Clients need time to change: at least `--grace-days` days.',
    'deprecated: true',
    '{ deprecated: true, x-sunset: 2026-12-01 }'
  ),
  'stability-decreased': announcement(
    'Something became less stable',
    'breaking',
    'Clients rely on the declared level: stable, beta, alpha, experimental, from the highest to the lowest.',
    'x-stability: beta',
    'x-stability: experimental'
  ),
  'stability-unknown': announcement(
    'A stability level is unknown',
    'breaking',
    'It is unclear what clients can rely on.',
    '',
    'x-stability: rock'
  ),
  'stability-increased': announcement(
    'Something became more stable',
    'compatible',
    'More is promised than before.',
    'x-stability: experimental',
    'x-stability: beta'
  ),
  'sunset-date-passed': announcement(
    'An operation is still there after its sunset',
    'breaking',
    'It should have been removed by now.',
    '{ deprecated: true, x-sunset: 2026-11-20 }',
    '{ deprecated: true, x-sunset: 2026-11-20 }'
  ),
  'property-removed': {
    title: 'A property was removed before its sunset',
    level: 'breaking',
    category: 'wire',
    why: 'Clients were told that it stays until then.',
    example: property(', deprecated: true, x-sunset: 2030-12-05', '2026-11-20')
  },
  'property-removed-after-sunset': {
    title: 'A property was removed as announced',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told how long it stays.',
    example: property(', deprecated: true, x-sunset: 2030-12-05', '2030-12-05')
  }
} satisfies Rules
