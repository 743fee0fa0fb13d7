import t, { type Test } from 'tap'
import { byDefault, newRex } from '../animals.ts'
import { buildTestApp } from '../build-test-app.ts'
import { petstore } from '../petstore.ts'
import { client, fault, invalid } from './client.ts'

const { contract } = petstore

const definition = contract.paths['/pets/{petId}'].get
const removalDate: string = definition['x-deprecated-sunset']
const removalMs = Date.parse(removalDate)
const lifecycle = {
  deprecation: `@${Date.parse(definition['x-deprecated-since']) / 1000}`,
  sunset: new Date(removalDate).toUTCString()
}
const start = async (t: Test) => client(await buildTestApp(t))

t.test('getPet: an animal is found by its id', async t => {
  const { create, get } = await start(t)
  const mia = { ...newRex, name: 'Mia', status: 'sold' }
  await create(newRex)
  const { id } = (await create(mia)).json()
  const response = await get(id)
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { id, ...byDefault, ...mia })
  t.equal(response.headers['content-type'], 'application/json')
})

t.test('getPet: an unknown id gets a 404', async t => {
  const { get } = await start(t)
  for (const id of [
    '9',
    '0',
    '-1',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808'
  ]) {
    t.strictSame((await get(id)).json(), fault(404, 'pet_not_found', `No pet has id ${id}.`))
  }
})

t.test('getPet: an invalid id gets a 400', async t => {
  const message = 'path parameter petId must be an integer in plain decimal digits, not "rex".'
  t.strictSame((await (await start(t)).get('rex')).json(), invalid(message))
})

t.test('getPet: it is deprecated from and until the dates that the text of the contract names', async t => {
  const { headers } = await (await start(t)).get(1)
  t.match(headers, lifecycle)
  const inWords = (date: string) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(date))
  const since = inWords(definition['x-deprecated-since'])
  const text = `Deprecated since ${since}, to be removed on ${inWords(removalDate)}:`
  t.match(definition.description.replaceAll('\n', ' '), text)
  t.equal(definition['x-sunset'], removalDate)
})

t.test('getPet: its links lead to listPets and to its documentation, relative to the URL of the request', async t => {
  const { headers } = await (await start(t)).get(1)
  t.strictSame(
    [...String(headers.link).matchAll(/<([^>]*)>/g)].map(
      ([, reference = '']) => new URL(reference, 'http://localhost/prefix/v1/pets/1').pathname
    ),
    ['/prefix/v1/pets', '/prefix/docs/', '/prefix/docs/']
  )
})

t.test('getPet: from its removal date on it is a 410, if so configured', async t => {
  const { get } = client(await buildTestApp(t, { removedOperations: 'gone', now: () => removalMs }))
  const message = `getPet was removed on ${removalDate}; use ${definition['x-replaced-by']} instead.`
  t.strictSame((await get(1)).json(), fault(410, 'operation_removed', message))
})
