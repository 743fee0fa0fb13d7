import t from 'tap'
import { type Policy, type PolicyLevel, type PolicyName, policies } from '../src/changes/policies.ts'
import { rules } from '../src/changes/rules.ts'
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

t.test('what a policy accepts says so, if it would break clients otherwise', async t => {
  const messageOf = (before: string, after: string, policy: Policy) =>
    findingsBetween('response', before, after, { policy })[0]?.message
  const [one, two] = ['{ enum: [a] }', '{ enum: [a, b] }']
  t.match(messageOf(one, two, { 'new-enum-values': 'breaking' }), /not declared\.$/)
  t.match(messageOf(one, two, { 'new-enum-values': 'compatible' }), /not declared; but the policy accepts it\.$/)
  const [old, gone] = ['{ properties: { a: {} } }', '{ properties: {} }']
  t.notMatch(messageOf(old, gone, { 'removed-properties': 'compatible' }), 'the policy', 'it is compatible anyway')
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
    stderr: /^servers is not a policy or a rule of `contract rules`; choose from removed-servers, /
  })
  t.match(await changes(...against, '--policy', 'defaults'), { status: 2, stderr: /^defaults needs a level: / })
  write('contract.config.json', JSON.stringify({ policy: 'removed-servers=compatible' }))
  t.match(await changes(...against), { status: 0 })
  t.match(await changes(...against, '--policy', 'removed-servers=breaking'), { status: 1 })
})
