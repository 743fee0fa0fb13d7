import type { Rule, Rules } from './rule.ts'

const announcement = (title: string, level: Rule['level'], why: string, before: string, after: string): Rule => ({
  title,
  level,
  category: 'wire',
  lasting: true,
  why,
  example: { in: 'operation', before, after }
})

/** A property of what is answered. */
const property = (before: string, today: string): Rule['example'] => ({
  in: 'response',
  before: `properties: { age: { type: integer${before} }, name: { type: string } }`,
  after: 'properties: { name: { type: string } }',
  today
})

/** Rules about what is announced; they hold for operations, and but for the last one for parameters and properties too. */
export const rulesOfLifecycle = {
  'deprecation-announced': announcement(
    'Something is deprecated',
    'compatible',
    'It goes on working.',
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
    'A date is no date',
    'breaking',
    'Nobody knows what was announced.',
    'deprecated: true',
    '{ deprecated: true, x-sunset: in spring }'
  ),
  'sunset-date-missing': announcement(
    'A deprecation says since when, but not until when',
    'breaking',
    'Clients cannot plan, and it may never be removed.',
    'deprecated: true',
    '{ deprecated: true, x-deprecated-since: 2026-11-20 }'
  ),
  'lifecycle-contradictory': announcement(
    'Two announcements contradict each other',
    'breaking',
    'Nobody knows which of them counts.',
    'x-stability: beta',
    '{ x-stability: beta, x-stability-level: stable }'
  ),
  'sunset-date-withdrawn': announcement(
    'A sunset date is gone, and the deprecation is not',
    'breaking',
    'Clients have planned by it.',
    '{ deprecated: true, x-sunset: 2030-12-05 }',
    'deprecated: true'
  ),
  'sunset-date-moved-earlier': announcement(
    'A sunset date has been moved to an earlier day',
    'breaking',
    'Clients have planned by the later one.',
    '{ deprecated: true, x-sunset: 2030-12-05 }',
    '{ deprecated: true, x-sunset: 2029-12-05 }'
  ),
  'sunset-date-moved-later': announcement(
    'A sunset date has been moved to a later day',
    'compatible',
    'It goes on working for longer.',
    '{ deprecated: true, x-sunset: 2029-12-05 }',
    '{ deprecated: true, x-sunset: 2030-12-05 }'
  ),
  'sunset-notice-too-short': announcement(
    'A sunset is announced for too soon',
    'breaking',
    'Clients need time to change, as many days as `--grace-days` says.',
    'deprecated: true',
    '{ deprecated: true, x-sunset: 2026-12-01 }'
  ),
  'stability-decreased': announcement(
    'Something is less to be relied on than it was',
    'breaking',
    'Clients rely on what they were told: stable, beta, alpha, experimental, in falling order.',
    'x-stability: beta',
    'x-stability: experimental'
  ),
  'stability-unknown': announcement(
    'A level of stability is none that is known',
    'breaking',
    'Nobody knows how far it is to be relied on.',
    '',
    'x-stability: rock'
  ),
  'stability-increased': announcement(
    'Something is more to be relied on than it was',
    'compatible',
    'From now on it is kept as it is.',
    'x-stability: experimental',
    'x-stability: beta'
  ),
  'sunset-date-passed': announcement(
    'An operation is still there after its sunset',
    'breaking',
    'It was to be removed by now; nobody is to forget that.',
    '{ deprecated: true, x-sunset: 2026-11-20 }',
    '{ deprecated: true, x-sunset: 2026-11-20 }'
  ),
  'property-removed': {
    title: 'A property is gone before its sunset',
    level: 'breaking',
    category: 'wire',
    why: 'Clients were told that it stays until then.',
    example: property(', deprecated: true, x-sunset: 2030-12-05', '2026-11-20')
  },
  'property-removed-after-sunset': {
    title: 'A property is gone that was announced to be',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told until when it stays.',
    example: property(', deprecated: true, x-sunset: 2030-12-05', '2030-12-05')
  }
} satisfies Rules
