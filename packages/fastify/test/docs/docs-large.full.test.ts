import t from 'tap'
import { largeContract } from '../../../../test/large-contract.ts'
import { openContracts } from './serve-docs.ts'

const openContract = await openContracts(t)

t.test('the page of a contract with 1,000 operations loads few bytes, and draws few elements', async t => {
  const page = await openContract(t, largeContract())
  await page.locator('.contents .branch-toggle').last().waitFor()
  const files = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
    'performance.getEntries().filter(each => /^(?:navigation|resource)$/.test(each.entryType)).map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))'
  )
  const bytes = files.reduce((sum, each) => sum + each.encodedBodySize, 0)
  t.ok(bytes <= 470_000, `${bytes} bytes of at most 470,000, in ${files.length} files`)
  const nodes = await page.evaluate<number>("document.querySelectorAll('*').length")
  t.ok(nodes <= 2_000, `${nodes} elements of at most 2,000`)
})
