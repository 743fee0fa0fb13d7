import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../src/service.ts'

test('notes: a note that was added is there, and no other', async t => {
  const store = await service.openStore({ path: ':memory:' })
  t.after(() => store.close())
  const added = await store.notes.add('Buy milk')
  assert.deepEqual({ ...added }, { id: 1, text: 'Buy milk' })
  assert.deepEqual({ ...(await store.notes.get(1)) }, { id: 1, text: 'Buy milk' })
  assert.equal(await store.notes.get(2), undefined)
})
