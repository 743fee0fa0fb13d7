import { breaking, compatible, type Example, type Rule, type Rules } from './rule.ts'

/** Makes rules that apply to unstable operations, too. */
const lasting =
  (rule: typeof breaking) =>
  (title: string, why: string, example: Omit<Example, 'in'>): Rule => ({
    ...rule(title, why, { in: 'operation', ...example }),
    lasting: true
  })
const notice = lasting(compatible)
const breach = lasting(breaking)

/** A property of a response, until 2030-12-05. */
const property = (today: string): Example => ({
  in: 'response',
  before: 'properties: { age: { type: integer, deprecated: true, x-sunset: 2030-12-05 }, name: { type: string } }',
  after: 'properties: { name: { type: string } }',
  today
})

/** Rules about lifecycles: of operations and, except for the last rule, of parameters and properties. */
export const rulesOfLifecycle = {
  'deprecation-announced': notice('Something is deprecated', 'It still works.', {
    before: '',
    after: 'deprecated: true'
  }),
  'deprecation-lifted': notice('Something is no longer deprecated', 'It stays.', {
    before: 'deprecated: true',
    after: ''
  }),
  'sunset-date-invalid': breach('A date is invalid', 'It is unclear what was announced.', {
    before: 'deprecated: true',
    after: '{ deprecated: true, x-sunset: in spring }'
  }),
  'sunset-date-missing': breach(
    'A deprecation has a start but no sunset date',
    'Clients cannot plan, and it may never be removed.',
    { before: 'deprecated: true', after: '{ deprecated: true, x-deprecated-since: 2026-11-20 }' }
  ),
  'lifecycle-contradictory': breach('Two announcements contradict each other', 'It is unclear which of them counts.', {
    before: 'x-stability: beta',
    after: '{ x-stability: beta, x-stability-level: stable }'
  }),
  'sunset-date-withdrawn': breach(
    'A sunset date was withdrawn, but the deprecation was not',
    'Clients have planned for it.',
    { before: '{ deprecated: true, x-sunset: 2030-12-05 }', after: 'deprecated: true' }
  ),
  'sunset-date-moved-earlier': breach(
    'A sunset date was moved to an earlier day',
    'Clients have planned for the later one.',
    {
      before: '{ deprecated: true, x-sunset: 2030-12-05 }',
      after: '{ deprecated: true, x-sunset: 2029-12-05 }'
    }
  ),
  'sunset-date-moved-later': notice('A sunset date was moved to a later day', 'It works for longer.', {
    before: '{ deprecated: true, x-sunset: 2029-12-05 }',
    after: '{ deprecated: true, x-sunset: 2030-12-05 }'
  }),
  'sunset-notice-too-short': breach(
    'A sunset is too soon',
    'Clients need time to change: at least `--grace-days` days.',
    { before: 'deprecated: true', after: '{ deprecated: true, x-sunset: 2026-12-01 }' }
  ),
  'stability-decreased': breach(
    'Something became less stable',
    'Clients rely on the declared level: stable, beta, alpha, experimental, from the highest to the lowest.',
    { before: 'x-stability: beta', after: 'x-stability: experimental' }
  ),
  'stability-unknown': breach('A stability level is unknown', 'It is unclear what clients can rely on.', {
    before: '',
    after: 'x-stability: rock'
  }),
  'stability-increased': notice('Something became more stable', 'More is promised than before.', {
    before: 'x-stability: experimental',
    after: 'x-stability: beta'
  }),
  'sunset-date-passed': breach('An operation is still there after its sunset', 'It should have been removed by now.', {
    before: '{ deprecated: true, x-sunset: 2026-11-20 }',
    after: '{ deprecated: true, x-sunset: 2026-11-20 }'
  }),
  'property-removed': breaking(
    'A property was removed before its sunset',
    'Clients were told that it stays until then.',
    property('2026-11-20')
  ),
  'property-removed-after-sunset': compatible(
    'A property was removed as announced',
    'Clients were told how long it stays.',
    property('2030-12-05')
  )
} satisfies Rules
