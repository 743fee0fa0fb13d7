import t from 'tap'
import { type PolicyLevel, type PolicyName, policies } from '../../../scripts/contract/changes/policies.ts'
import { rules } from '../../../scripts/contract/changes/rules.ts'
import { findingsBetween } from './changes-between.ts'
import { animals, folderWith } from './contract-command.ts'

const levels: PolicyLevel[] = ['breaking', 'compatible']

for (const [name, ids] of Object.entries(policies))
  t.test(`a policy of ${name} decides how they count`, async t => {
    for (const { id, example } of rules.filter(each => (ids as string[]).includes(each.id)))
      for (const level of levels) {
        const policy = { [name as PolicyName]: level }
        const found = findingsBetween(example.in, example.before, example.after, { policy })
        t.strictSame(
          found.map(each => [each.rule, each.level]),
          [[id, level]]
        )
      }
  })

t.test('an experimental operation may change under any policy', async t => {
  const operation = (rest: string) => `{ x-stability: experimental, ${rest} }`
  const content = (properties: string) =>
    operation(`requestBody: { content: { application/json: { schema: { properties: { ${properties} } } } } }`)
  const [finding] = findingsBetween('operation', content('a: {}, b: {}'), content('a: {}'), {
    policy: { 'removed-properties': 'breaking' }
  })
  t.match(finding, { rule: 'request-property-removed', level: 'compatible' })
})

t.test('--policy, or the configuration, sets policies', async t => {
  const server = (url: string) => `${animals()}\nservers: [{ url: '${url}' }]\n`
  const { changes, write } = folderWith(t, {
    'openapi.yaml': server('https://b.example'),
    'old.yaml': server('https://a.example')
  })
  const against = ['--against', 'old.yaml']
  t.match(await changes(...against), { status: 1 })
  t.match(await changes(...against, '--policy', 'removed-servers=compatible,defaults=breaking'), { status: 0 })
  t.match(await changes(...against, '--policy', 'servers=compatible'), {
    status: 2,
    stderr: /^servers is not a policy; choose from removed-servers, /
  })
  t.match(await changes(...against, '--policy', 'defaults'), { status: 2, stderr: /is not a level of a policy; / })
  write('contract.config.json', JSON.stringify({ policy: 'removed-servers=compatible' }))
  t.match(await changes(...against), { status: 0 })
  t.match(await changes(...against, '--policy', 'removed-servers=breaking'), { status: 1 })
})
