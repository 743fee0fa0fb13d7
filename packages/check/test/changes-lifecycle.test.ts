import t from 'tap'
import type { CompareOptions } from '../src/changes/compare.ts'
import { changesBetween, findingsBetween } from './changes-between.ts'

const operation = (before: string, after: string, options?: Partial<CompareOptions>) =>
  changesBetween('operation', before, after, options)
const deprecated = (sunset: string, more = '') => `{ deprecated: true, x-sunset: ${sunset}${more} }`

t.test('a deprecation is compatible, with or without a date', async t => {
  const announced = ['compatible deprecation-announced: POST /pets']
  t.strictSame(operation('', 'deprecated: true'), announced)
  t.strictSame(operation('', deprecated('2030-12-05')), announced)
  t.strictSame(operation('deprecated: true', 'deprecated: true'), [])
  t.strictSame(operation('deprecated: true', deprecated('2030-12-05')), announced)
  t.match(findingsBetween('operation', '', deprecated('2030-12-05')), [
    { message: 'It is now deprecated, and may be removed from 2030-12-05 on.' }
  ])
  t.match(findingsBetween('operation', deprecated('2026-11-20'), deprecated('2026-11-20')), [
    { message: 'Its sunset, 2026-11-20, has come, and it is still there: remove it, or move the date.' }
  ])
})

t.test('both names of a date are known, and the time of day is ignored', async t => {
  t.strictSame(
    operation('{ deprecated: true, x-sunset: 2030-12-05 }', '{ deprecated: true, x-deprecated-sunset: 2030-12-05 }'),
    []
  )
  t.strictSame(operation(deprecated('2030-12-05'), deprecated("'2030-12-05T10:00:00Z'")), [])
})

t.test('lifecycle mistakes are found without a change', async t => {
  const faults: [attributes: string, found: string[]][] = [
    ['x-sunset: 2030-02-30', ['breaking sunset-date-invalid: POST /pets']],
    ['x-sunset: 2030', ['breaking sunset-date-invalid: POST /pets']],
    ['x-sunset: 5 December 2030', ['breaking sunset-date-invalid: POST /pets']],
    ['x-sunset: 2030-12-05, x-deprecated-since: soon', ['breaking sunset-date-invalid: POST /pets']],
    ['x-deprecated-since: 2026-11-20', ['breaking sunset-date-missing: POST /pets']],
    ['x-sunset: 2030-12-05, x-deprecated-sunset: 2030-12-06', ['breaking lifecycle-contradictory: POST /pets']],
    ['x-sunset: 2030-12-05, x-deprecated-since: 2031-01-01', ['breaking lifecycle-contradictory: POST /pets']],
    ['x-stability: experimental, x-stability-level: draft', []],
    ['x-stability: experimental, x-stability-level: rock', ['breaking lifecycle-contradictory: POST /pets']],
    ['x-sunset: 2026-11-20', ['breaking sunset-date-passed: POST /pets']],
    ['x-sunset: 2026-11-21', []]
  ]
  for (const [attributes, found] of faults) {
    const contract = `{ deprecated: true, ${attributes} }`
    t.strictSame(operation(contract, contract), found, attributes)
  }
  const parameter = 'parameters: [{ name: a, in: query, x-sunset: never, schema: {} }]'
  t.strictSame(operation(parameter, parameter), ['breaking sunset-date-invalid: POST /pets query parameter a'])
  const pet = '{ properties: { kind: { x-sunset: never } } }'
  t.strictSame(changesBetween('request', pet, pet), ['breaking sunset-date-invalid: POST /pets request body.kind'])
})

t.test('dates have no effect without a deprecation', async t => {
  const fault = ['breaking lifecycle-contradictory: POST /pets']
  for (const dates of ['x-sunset: 2027-12-24', 'x-sunset: 2020-01-01', 'x-deprecated-since: 2026-01-01']) {
    t.strictSame(operation(dates, dates), fault, dates)
    t.strictSame(operation(dates, ''), [], `${dates} affects no client`)
  }
  const message = 'x-deprecated-since has an effect only beside deprecated: true.'
  const dates = '{ x-deprecated-since: 2026-01-01, x-sunset: 2025-01-01 }'
  t.match(findingsBetween('operation', '', dates), [{ is: 'since 2026-01-01, until 2025-01-01', message }])
  const parameter = 'parameters: [{ name: a, in: query, x-sunset: 2027-12-24, schema: {} }]'
  t.strictSame(operation(parameter, parameter), ['breaking lifecycle-contradictory: POST /pets query parameter a'])
  t.strictSame(operation('parameters: [{ name: a, in: query, x-sunset: 2026-01-01, schema: {} }]', ''), [
    'breaking request-parameter-removed: POST /pets query parameter a'
  ])
  const pet = '{ properties: { kind: { x-sunset: 2027-12-24 } } }'
  t.strictSame(changesBetween('request', pet, pet), ['breaking lifecycle-contradictory: POST /pets request body.kind'])
})

t.test('a new operation is checked, too', async t => {
  t.strictSame(
    changesBetween('document', 'paths: {}', 'paths: { /a: { get: { x-sunset: in spring, responses: {} } } }'),
    ['breaking sunset-date-invalid: GET /a', 'compatible operation-added: GET /a']
  )
})

t.test('an announced date must stay', async t => {
  const withdrawn = ['breaking sunset-date-withdrawn: POST /pets']
  t.strictSame(operation(deprecated('2030-12-05'), 'deprecated: true'), withdrawn)
  t.strictSame(
    findingsBetween(
      'operation',
      deprecated('2030-12-05', ', x-deprecated-since: 2026-01-01'),
      '{ deprecated: true, x-deprecated-since: 2026-01-01 }'
    ).map(({ rule, message }) => [rule, message]),
    [['sunset-date-withdrawn', 'It no longer has a date of removal; it was 2030-12-05.']],
    'that it is missing now is the same news'
  )
  t.strictSame(operation(deprecated('2030-12-05'), deprecated('never')), ['breaking sunset-date-invalid: POST /pets'])
  t.strictSame(operation(deprecated('2030-12-05'), ''), ['compatible deprecation-lifted: POST /pets'])
  t.strictSame(operation(deprecated('2030-12-05'), deprecated('2030-12-04')), [
    'breaking sunset-date-moved-earlier: POST /pets'
  ])
  t.strictSame(operation(deprecated('2030-12-05'), deprecated('2030-12-06')), [
    'compatible sunset-date-moved-later: POST /pets'
  ])
})

t.test('notice is counted from today, or from the day of the deprecation if that is later', async t => {
  const notice = (sunset: string, since: string, graceDays: number) =>
    operation('deprecated: true', deprecated(sunset, `, x-deprecated-since: ${since}`), { graceDays })
  t.strictSame(notice('2026-11-30', '2026-01-01', 10), ['compatible deprecation-announced: POST /pets'])
  t.strictSame(notice('2026-11-30', '2026-01-01', 11), ['breaking sunset-notice-too-short: POST /pets'])
  t.strictSame(notice('2026-12-30', '2026-12-20', 10), ['compatible deprecation-announced: POST /pets'])
  t.strictSame(notice('2026-12-30', '2026-12-20', 11), ['breaking sunset-notice-too-short: POST /pets'])
  t.strictSame(operation(deprecated('2026-11-30'), deprecated('2026-11-30')), [], 'it is only counted once')
  t.strictSame(
    operation('x-stability: alpha', '{ x-stability: alpha, deprecated: true, x-sunset: 2026-11-21 }'),
    ['compatible deprecation-announced: POST /pets'],
    'an unstable operation needs no notice'
  )
})

t.test('stability may rise, but not fall', async t => {
  t.strictSame(operation('', 'x-stability: beta'), ['breaking stability-decreased: POST /pets'])
  t.match(findingsBetween('operation', 'x-stability: stable', 'x-stability: beta'), [
    { message: 'It was stable and is now beta.' }
  ])
  t.strictSame(operation('x-stability: alpha', 'x-stability-level: draft'), [
    'breaking stability-decreased: POST /pets'
  ])
  t.strictSame(operation('x-stability: draft', 'x-stability: experimental'), [])
  t.strictSame(operation('x-stability-level: alpha', ''), ['compatible stability-increased: POST /pets'])
  const ofParameter = (operation: string, level: string) =>
    `{ x-stability: ${operation}, parameters: [{ name: q, in: query, schema: {}, x-stability: ${level} }] }`
  const fallen = (level: string) => operation(ofParameter(level, 'stable'), ofParameter(level, 'experimental'))
  t.strictSame(fallen('beta'), ['breaking stability-decreased: POST /pets query parameter q'])
  t.strictSame(fallen('alpha'), [], 'a part promises no more than the whole')
})

t.test('an unknown level counts as stable, and is a mistake if it is new', async t => {
  const unknown = ['breaking stability-unknown: POST /pets']
  t.strictSame(operation('x-stability-level: ga', 'x-stability-level: ga'), [], 'others have levels of their own')
  t.strictSame(operation('x-stability-level: alpha', 'x-stability-level: ga'), unknown)
  t.strictSame(operation('', 'x-stability: 1'), unknown)
  t.strictSame(operation('x-stability: ga', 'x-stability: stable'), [])
  t.strictSame(operation('x-stability: ga', 'x-stability: beta'), ['breaking stability-decreased: POST /pets'])
  t.strictSame(
    changesBetween('document', 'paths: {}', 'paths: { /a: { get: { x-stability: experimantal, responses: {} } } }'),
    ['breaking stability-unknown: GET /a', 'compatible operation-added: GET /a']
  )
})

t.test('a parameter may be removed after its sunset', async t => {
  const parameter = `parameters: [{ name: a, in: query, deprecated: true, x-sunset: 2026-12-01, schema: {} }]`
  t.strictSame(operation(parameter, '', { today: '2026-11-30' }), [
    'breaking request-parameter-removed: POST /pets query parameter a'
  ])
  t.strictSame(operation(parameter, '', { today: '2026-12-01' }), [
    'compatible parameter-removed-after-sunset: POST /pets query parameter a'
  ])
})

const inPets = (schemas: string) => `
  paths:
    /pets:
      get: { responses: { '200': { description: Fine, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } } }
      post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }, responses: {} }
  components: { schemas: { Pet: ${schemas} } }`
const petWith = (kind: string, more = '') =>
  inPets(`{ type: object, ${more}properties: { name: { type: string }${kind} } }`)
const kind = ', kind: { type: string, deprecated: true, x-sunset: 2026-12-01 }'

t.test('a property may be removed after its sunset', async t => {
  const changes = (today: string, more = '') =>
    findingsBetween(
      'document',
      petWith(kind, more && 'required: [kind], additionalProperties: false, '),
      petWith('', more),
      { today }
    )
  const of = (findings: ReturnType<typeof changes>) =>
    findings.map(({ level, rule, place, uses }) => [level, rule, place, uses.join()])
  const both = 'GET /pets,POST /pets'
  t.strictSame(of(changes('2026-11-30')), [['breaking', 'property-removed', 'Pet.kind', both]])
  t.strictSame(of(changes('2026-12-01')), [['compatible', 'property-removed-after-sunset', 'Pet.kind', both]])
  t.strictSame(
    of(changes('2026-12-01', 'additionalProperties: false, ')),
    [['compatible', 'property-removed-after-sunset', 'Pet.kind', both]],
    'even if values are refused for it, or lack what was required'
  )
  const early = changes('2026-11-30', 'additionalProperties: false, ')
  t.ok(
    early.length > 0 &&
      early.every(({ level, place, witness }) => level === 'breaking' && place === 'Pet.kind' && witness !== undefined),
    'a value that proves it is worth more than the date'
  )
})

t.test('the removal of a property covers no finding about one whose name begins in the same way', async t => {
  const before = petWith(`${kind}, kindOf: { type: string }`)
  const findings = findingsBetween('document', before, petWith(', kindOf: { type: integer }'), { today: '2026-12-01' })
  const places = findings.filter(({ level }) => level === 'breaking').map(({ place }) => place)
  t.strictSame([...new Set(places)], ['Pet.kindOf'])
})

t.test('a property that is declared elsewhere was not removed', async t => {
  const split = inPets(
    '{ type: object, allOf: [{ properties: { name: { type: string } } }, { oneOf: [{ properties: { kind: { deprecated: true, type: string, x-sunset: 2026-12-01 } } }] }] }'
  )
  t.strictSame(
    findingsBetween('document', petWith(kind), split).filter(({ level }) => level === 'breaking'),
    []
  )
})

t.test('the sunset of a property must stay', async t => {
  const later = kind.replace('2026-12-01', '2026-11-30')
  t.match(findingsBetween('document', petWith(kind), petWith(later)), [
    { rule: 'sunset-date-moved-earlier', place: 'Pet.kind', uses: ['GET /pets', 'POST /pets'] }
  ])
  t.strictSame(changesBetween('document', petWith(kind), petWith(', kind: { type: string, deprecated: true }')), [
    'breaking sunset-date-withdrawn: Pet.kind'
  ])
})

t.test('a property deep in mutually recursive schemas affects every operation that uses it', async t => {
  const document = (attributes: string) => `
    paths:
      /a: { get: { responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } } } }
      /b: { get: { responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/B' } } } } } } }
      /c: { get: { responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/C' } } } } } } }
    components:
      schemas:
        A: { properties: { b: { $ref: '#/components/schemas/B' } } }
        B: { properties: { a: { type: array, items: { $ref: '#/components/schemas/A' } }, old: { type: string, ${attributes} } } }
        C: { type: string }`
  t.match(findingsBetween('document', document(''), document('deprecated: true')), [
    { rule: 'deprecation-announced', place: 'B.old', uses: ['GET /a', 'GET /b'] }
  ])
})
