import { asAnnounced, breaking, compatible, type Examples, exampleIn, type Rules } from './rule.ts'

/** Makes rules that apply to unstable operations, too. */
const lasting = (rule: typeof breaking) => (title: string, why: string) =>
  ({ ...rule(title, why), lasting: true }) as const
const notice = lasting(compatible)
const breach = lasting(breaking)

/** Rules about lifecycles: of operations and, except for the last ones, of parameters and properties. */
export const rulesOfLifecycle = {
  'deprecation-announced': notice('Something is deprecated, or gets a sunset date', 'It still works.'),
  'deprecation-lifted': notice('Something is no longer deprecated', 'It stays.'),
  'sunset-date-invalid': breach('A date is invalid', 'It is unclear what was announced.'),
  'sunset-date-missing': breach('A deprecation has a start but no sunset date', 'Clients cannot plan for its removal.'),
  'lifecycle-contradictory': breach('Two announcements contradict each other', 'It is unclear which of them counts.'),
  'sunset-date-withdrawn': breach('A sunset date was withdrawn, the deprecation was not', 'Clients planned for it.'),
  'sunset-date-moved-earlier': breach('A sunset date was moved to an earlier day', 'Clients have less time to change.'),
  'sunset-date-moved-later': notice('A sunset date was moved to a later day', 'It works for longer.'),
  'sunset-notice-too-short': breach('A sunset is too soon', 'Clients need time to change: `--grace-days` days.'),
  'stability-decreased': breach('Something became less stable', 'Clients rely on its level: stable, beta or alpha.'),
  'stability-unknown': breach('A stability level is unknown', 'It is unclear what clients can rely on.'),
  'stability-increased': notice('Something became more stable', 'More is promised than before.'),
  'sunset-date-passed': breach('An operation is still there after its sunset', 'It is time to remove it.'),
  'property-removed': breaking('A property was removed before its sunset', 'Clients were told that it would stay.'),
  'property-removed-after-sunset': asAnnounced('A property')
} satisfies Rules

const inOperation = exampleIn('operation')
const deprecated = 'deprecated: true'
const until = (sunset: string) => `{ deprecated: true, x-sunset: ${sunset} }`
const stability = (level: string) => `x-stability: ${level}`
/** A property of a response, until 2030-12-05. */
const removedOn = (today: string) =>
  exampleIn('response')(
    'properties: { age: { type: integer, deprecated: true, x-sunset: 2030-12-05 }, name: { type: string } }',
    'properties: { name: { type: string } }',
    { today }
  )

export const examplesOfLifecycle: Examples<keyof typeof rulesOfLifecycle> = {
  'deprecation-announced': inOperation('', deprecated),
  'deprecation-lifted': inOperation(deprecated, ''),
  'sunset-date-invalid': inOperation(deprecated, until('in spring')),
  'sunset-date-missing': inOperation(deprecated, '{ deprecated: true, x-deprecated-since: 2026-11-20 }'),
  'lifecycle-contradictory': inOperation('x-stability: beta', '{ x-stability: beta, x-stability-level: stable }'),
  'sunset-date-withdrawn': inOperation(until('2030-12-05'), deprecated),
  'sunset-date-moved-earlier': inOperation(until('2030-12-05'), until('2029-12-05')),
  'sunset-date-moved-later': inOperation(until('2029-12-05'), until('2030-12-05')),
  'sunset-notice-too-short': inOperation(deprecated, until('2026-12-01')),
  'stability-decreased': inOperation(stability('beta'), stability('experimental')),
  'stability-unknown': inOperation('', stability('rock')),
  'stability-increased': inOperation(stability('experimental'), stability('beta')),
  'sunset-date-passed': inOperation(until('2026-11-20'), until('2026-11-20')),
  'property-removed': removedOn('2026-11-20'),
  'property-removed-after-sunset': removedOn('2030-12-05')
}
