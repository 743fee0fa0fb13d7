import t from 'tap'
import { newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { extent } from '../extent.ts'
import { sendRequest, startServer } from '../start-server.ts'

const count = extent(15, 50)

t.test('a key that sends as many expensive requests as it can does not starve another', async t => {
  const [greedy, other] = [newApiKey('ast'), newApiKey('ast')]
  const server = await startServer(t, { cwd: t.testdir(), env: { API_KEYS: `${greedy},${other}` } })
  const list = (first: string, next: string) => `[${first}${`,${next}`.repeat(64_000 / (next.length + 1))}]`
  const members = Array.from({ length: 3000 }, (_, i) => `"categoryId":${123_456 + i}e12`)
  for (const body of [list('1e9', '1e9'), list('9007199254740993', '1'), `{"name":"Rex",${members}}`]) {
    let isOver = false
    const sendOn = async () => {
      while (!isOver) await sendRequest(server, greedy, '/v1/pets', { method: 'POST', body })
    }
    const sending = Array.from({ length: 8 }, sendOn)
    for (let i = 0; i < count; i++) t.equal((await sendRequest(server, other, '/v1/pets')).status, 200)
    t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
    isOver = true
    await Promise.all(sending)
  }
})
