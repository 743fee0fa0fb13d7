import { quantile } from '../measure.ts'
import { examplesIn, startIn } from './start.ts'

// Run with a folder, one with examples, the path of an operation, and a number of rounds: starts what was generated in the
// first, and prints the CPU time of a request to that operation, which responds with its example.

const [folder = '', examples = '', url = '', rounds = ''] = process.argv.slice(2)
const { app, contract } = await startIn(folder, await examplesIn(examples))

/** Any credentials are accepted, in the form of the contract. */
const headersOf = (): Record<string, string> => {
  const asked = Object.values(contract.operations).find(each => url === (each.basePath ?? contract.basePath) + each.url)
  const names = Object.keys(asked?.security[0] ?? {})
  return Object.fromEntries(
    names.map(name => {
      const scheme = contract.securitySchemes[name]
      if (scheme?.type === 'apiKey') return [scheme.name, 'of-the-benchmark']
      return [
        'authorization',
        scheme?.type === 'http' && scheme.scheme === 'basic' ? 'Basic YTpi' : 'Bearer of-the-benchmark'
      ]
    })
  )
}
const headers = headersOf()

const cpuUsOf = async (count: number): Promise<number> => {
  const before = process.cpuUsage()
  for (let each = 0; each < count; each++) {
    const { statusCode, body } = await app.inject({ url, headers })
    if (statusCode >= 300) throw new Error(`${url} got ${statusCode}: ${body}`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

await cpuUsOf(5_000)
const times: number[] = []
for (let round = 0; round < Number(rounds); round++) times.push(await cpuUsOf(200))
process.stdout.write(JSON.stringify({ cpuUs: quantile(times, 0.5) }))
