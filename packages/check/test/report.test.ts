import fc from 'fast-check'
import t from 'tap'
import type { Json } from '../../document/src/json.ts'
import { jsonText } from '../../document/src/json.ts'
import type { ChangesOutcome } from '../src/changes/check.ts'
import type { Finding } from '../src/changes/finding.ts'
import type { CheckReport } from '../src/outcome.ts'
import { excerpt } from '../src/report/excerpt.ts'
import { formats } from '../src/report/report.ts'

// These tests expect output without colours.
delete process.env.FORCE_COLOR

const finding = (change: Partial<Finding>): Finding => ({
  rule: 'request-maximum-narrowed',
  level: 'breaking',
  category: 'wire',
  place: 'GET /pets query parameter limit',
  uses: ['GET /pets'],
  before: { file: 'releases/1.0.0.yaml', line: 12, column: 13 },
  after: { file: 'api.yaml', line: 14, column: 13 },
  was: 'maximum 100',
  is: 'maximum 50',
  message: 'Less is accepted.',
  witness: 51,
  fingerprint: '0123456789ab',
  ...change
})

const uses = ['GET /pets', 'POST /pets', 'GET /pets/{petId}', 'PUT /pets/{petId}', 'GET /owners']

const changes = (change: Partial<ChangesOutcome>): ChangesOutcome => ({
  contract: 'api.yaml',
  against: 'releases/1.0.0.yaml',
  findings: [],
  complaints: [],
  notes: [],
  version: { step: 'none', before: '1.0.0', after: '1.0.0', next: '1.0.0', follows: true },
  today: '2026-11-28',
  checksVersion: true,
  fails: false,
  ...change
})

const report = (change: Partial<CheckReport>): CheckReport => ({ contract: 'api.yaml', unanswered: [], ...change })

const all = report({
  changes: changes({
    findings: [
      finding({}),
      finding({
        rule: 'response-enum-widened',
        place: 'Pet.kind',
        uses,
        witness: { id: 2n ** 63n - 1n, kind: 'dragon', name: 'x'.repeat(80) },
        fingerprint: 'aaaaaaaaaaaa'
      }),
      finding({
        rule: 'operation-removed',
        level: 'undecided',
        place: 'DELETE /pets',
        uses: ['DELETE /pets'],
        message: 'It is gone.',
        fingerprint: 'bbbbbbbbbbbb'
      }),
      finding({
        rule: 'operation-id-changed',
        category: 'sdk',
        place: 'GET /pets',
        message: 'From maximum 100 to maximum 50.',
        fingerprint: 'cccccccccccc'
      }),
      finding({ rule: 'server-added', level: 'compatible', place: 'contract', uses: [], message: 'One more.' }),
      finding({ approved: { reason: 'Nobody asks', until: '2027-01-31' }, fingerprint: 'dddddddddddd' })
    ].map(each => {
      if (['response-enum-widened', 'request-maximum-narrowed'].includes(each.rule)) return each
      const { before, after, was, is, witness, ...rest } = each
      return each.rule === 'operation-id-changed'
        ? { ...each, witness: undefined as never }
        : { ...rest, ...(before && { before }) }
    }),
    complaints: [
      { rule: 'version-too-low', message: 'info.version is 1.0.0.', at: { file: 'api.yaml', line: 4, column: 3 } }
    ],
    version: { step: 'major', before: '1.0.0', after: '1.0.0', next: '2.0.0', follows: false },
    fails: true
  })
})

t.test('text: by operation, each cause once, then a summary', async t => {
  t.equal(
    formats.text([all]),
    `api.yaml, compared with releases/1.0.0.yaml

GET /pets
  BREAKING     query parameter limit: Less is accepted.
               maximum 100 → maximum 50
               51 was accepted and is now rejected
               releases/1.0.0.yaml:12:13 → api.yaml:14:13
               request-maximum-narrowed 0123456789ab
  BREAKS CODE  From maximum 100 to maximum 50.
               releases/1.0.0.yaml:12:13 → api.yaml:14:13
               operation-id-changed cccccccccccc
  approved     query parameter limit: Less is accepted.
               maximum 100 → maximum 50
               51 was accepted and is now rejected
               approved until 2027-01-31: Nobody asks
               releases/1.0.0.yaml:12:13 → api.yaml:14:13
               request-maximum-narrowed dddddddddddd

Pet.kind in responses, used by 5 operations: GET /pets, POST /pets, GET /pets/{petId} and 2 more
  BREAKING     Less is accepted.
               maximum 100 → maximum 50
               {
                 "id": 9223372036854775807,
                 "kind": "dragon",
                 "name": "${'x'.repeat(80)}"
               }
               may now be sent and was not declared
               releases/1.0.0.yaml:12:13 → api.yaml:14:13
               response-enum-widened aaaaaaaaaaaa

DELETE /pets
  UNDECIDED    It is gone.
               releases/1.0.0.yaml:12:13
               operation-removed bbbbbbbbbbbb

The whole contract
  compatible   contract: One more.
               releases/1.0.0.yaml:12:13
               server-added

api.yaml:4:3
  ERROR        info.version is 1.0.0.
               version-too-low

changes: 2 breaking, 1 undecided, 1 breaking only generated code, 1 compatible, 1 approved, version-too-low; calls for 2.0.0 (major), but info.version is 1.0.0`
  )
})

t.test('text: in colour if wanted', async t => {
  const { NO_COLOR } = process.env
  delete process.env.NO_COLOR
  process.env.FORCE_COLOR = '1'
  t.teardown(() => {
    delete process.env.FORCE_COLOR
    if (NO_COLOR !== undefined) process.env.NO_COLOR = NO_COLOR
  })
  t.match(formats.text([all]), '\x1b[1m\x1b[31mBREAKING\x1b[39m\x1b[22m     query parameter limit')
})

t.test('text: routes that differ, and the results of a live check', async t => {
  const difference = {
    operation: 'GET /pets',
    what: 'query parameter limit: above its maximum',
    wrong: 'answers 200',
    right: '400',
    curl: "curl -i 'http://127.0.0.1/pets?limit=101'",
    times: 2,
    others: ['HEAD /pets']
  }
  const live = {
    url: 'http://127.0.0.1/v1',
    seed: 7,
    requests: 41,
    created: 4,
    left: ['/pets/1'],
    lost: { 'POST /orders': 2 },
    uncertain: { 'POST /searches': 1 },
    failures: [difference],
    notes: [{ ...difference, what: 'HEAD', times: 1, others: [] }],
    gaps: [{ operation: 'POST /pets', reason: 'it requires a key, and none is given' }],
    coverage: [{ operation: 'GET /pets', cells: [{ status: '200', isDeclared: true, isSeen: true }] }]
  }
  t.equal(
    formats.text([report({ live })]),
    `GET /pets
  DIFFERS      query parameter limit: above its maximum
               It answers 200; expected: 400. (2 times; also HEAD /pets)
               curl -i 'http://127.0.0.1/pets?limit=101'
  perhaps      HEAD
               It answers 200; expected: 400.
               curl -i 'http://127.0.0.1/pets?limit=101'

Not tried
  POST /pets: it requires a key, and none is given

Left on the server
  http://127.0.0.1/v1/pets/1
  POST /orders: 2 resources without a URL, to be removed by hand
  POST /searches: 1 request that may have created something

Declared statuses
           200
GET /pets  seen

live: 1 difference in 41 requests to http://127.0.0.1/v1, seed 7; 4 resources created there, 1 removed, 3 left; 1 request that may have created more`
  )
  const routes = {
    routes: 3,
    failures: [{ route: 'GET /pets', message: 'limit: optional in the contract, required in the route.' }]
  }
  t.equal(
    formats.text([report({ routes })]),
    `GET /pets
  DIFFERS      limit: optional in the contract, required in the route.

routes: 1 difference`
  )
})

t.test('json: everything, with exact large integers and the exit code', async t => {
  const text = formats.json([all])
  t.match(text, '"id": 9223372036854775807,')
  const { exitCode, changes } = JSON.parse(text)
  t.equal(exitCode, 1)
  t.strictSame(Object.keys(changes), [
    'contract',
    'against',
    'findings',
    'complaints',
    'notes',
    'version',
    'today',
    'checksVersion',
    'fails'
  ])
  t.strictSame(changes.findings[0], JSON.parse(JSON.stringify(finding({}))))
})

t.test('github: a command for each, escaped, and a summary', async t => {
  const hostile = finding({
    place: 'GET /a,b:c%',
    message: 'One\r\ntwo %0A',
    uses: ['GET /a,b:c%'],
    after: { file: 'a,b:c%.yaml', line: 1, column: 2 },
    witness: '::error::'
  })
  const lines = formats.github([report({ changes: changes({ findings: [hostile] }) })]).split('\n')
  t.strictSame(lines, [
    '::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=request-maximum-narrowed::GET /a,b:c%25: One%0D%0Atwo %250A%0Amaximum 100 → maximum 50%0A"::error::" was accepted and is now rejected%0Afingerprint 0123456789ab',
    'changes: 1 breaking; version 1.0.0'
  ])
  const commands = formats
    .github([all])
    .split('\n')
    .map(line => /^::(\w+) file=([^,]+),line=(\d+)/.exec(line)?.slice(1).join(' '))
  t.strictSame(commands, [
    'error api.yaml 4',
    'error api.yaml 14',
    'error api.yaml 14',
    // A removed item is shown at the start of the contract.
    'warning api.yaml 1',
    'warning api.yaml 14',
    'notice api.yaml 1',
    'notice api.yaml 14',
    undefined
  ])
})

t.test('junit: a test for each check and each message, escaped', async t => {
  const hostile = finding({ place: 'GET /<a>', message: 'One "two" &\0\ud800', uses: [], witness: ']]>' })
  t.equal(
    formats.junit([report({ changes: changes({ findings: [hostile, finding({ level: 'compatible' })] }) })]),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1">
<testsuite name="contract" tests="3" failures="1">
<testcase classname="contract" name="changes: 1 breaking, 1 compatible; version 1.0.0"/>
<testcase classname="request-maximum-narrowed" name="GET /&#60;a&#62;: One &#34;two&#34; &#38;\ufffd\ufffd"><failure type="request-maximum-narrowed">maximum 100 → maximum 50
&#34;]]&#62;&#34; was accepted and is now rejected
fingerprint 0123456789ab
api.yaml:14:13</failure></testcase>
<testcase classname="request-maximum-narrowed" name="GET /pets query parameter limit: Less is accepted."><system-out>maximum 100 → maximum 50
51 was accepted and is now rejected
api.yaml:14:13</system-out></testcase>
</testsuite>
</testsuites>`
  )
})

t.test('gitlab: an entry for each message, with a fingerprint of its own', async t => {
  const entries = JSON.parse(formats.gitlab([all]))
  t.match(entries[1], {
    description: /^GET \/pets query parameter limit: /,
    check_name: 'request-maximum-narrowed',
    fingerprint: '0123456789ab',
    severity: 'critical',
    location: { path: 'api.yaml', lines: { begin: 14 } }
  })
  const others = [{ question: 'generated' as const, reason: 'no file a', isFault: true }]
  const unanswered = [...others, { question: 'changes' as const, reason: 'no file b', isFault: true }]
  const [one, other] = JSON.parse(formats.gitlab([report({ unanswered })]))
  t.match(one.fingerprint, /^[0-9a-f]{12}$/)
  t.not(one.fingerprint, other.fingerprint)
})

t.test('github: the other checks, and those that could not be completed', async t => {
  const text = formats.github([
    report({
      generated: ['generated/a.ts: is stale\n@@ line 32 @@\n- old', 'something else'],
      routes: {
        routes: 1,
        failures: [
          { route: 'GET /pets', message: 'No route.', at: { file: 'paths.yaml', line: 7, column: 5 } },
          { route: 'GET /dogs', message: 'It is registered.' }
        ]
      },
      unanswered: [{ question: 'changes', reason: 'api.yaml: there is no such file', isFault: true }]
    })
  ])
  t.equal(
    text,
    `::error file=api.yaml,line=1,col=1,title=not-answered::changes: api.yaml: there is no such file
::error file=generated/a.ts,line=32,col=1,title=generated-stale::generated/a.ts: is stale%0A@@ line 32 @@%0A- old
::error file=api.yaml,line=1,col=1,title=generated-stale::something else
::error file=paths.yaml,line=7,col=5,title=routes-differ::GET /pets: No route.
::error file=api.yaml,line=1,col=1,title=routes-differ::GET /dogs: It is registered.
generated: 2 stale files
routes: 2 differences`
  )
})

t.test('markdown: a changelog, ordered by relevance to clients', async t => {
  t.equal(
    formats.markdown([all]),
    `## 1.0.0

\`api.yaml\`, compared with \`releases/1.0.0.yaml\`: 2 breaking, 1 undecided, 1 breaking only generated code, 1 compatible, 1 approved, version-too-low; calls for 2.0.0 (major), but info.version is 1.0.0.

### Wrong

- **api.yaml:4:3**: info.version is 1.0.0.

### Breaking

- **GET /pets query parameter limit**: Less is accepted.<br>\`maximum 100\` → \`maximum 50\`<br>\`51\` was accepted and is now rejected<br>\`request-maximum-narrowed\` \`0123456789ab\` \`releases/1.0.0.yaml:12:13\` → \`api.yaml:14:13\`
- **Pet.kind in responses**: Less is accepted.<br>\`maximum 100\` → \`maximum 50\`<br>Used by 5 operations: GET /pets, POST /pets, GET /pets/\\{petId\\} and 2 more<br>\`response-enum-widened\` \`aaaaaaaaaaaa\` \`releases/1.0.0.yaml:12:13\` → \`api.yaml:14:13\`<br>This may now be sent and was not declared:
  \`\`\`json
  {
    "id": 9223372036854775807,
    "kind": "dragon",
    "name": "${'x'.repeat(80)}"
  }
  \`\`\`

### Needs a look

- **DELETE /pets**: It is gone.<br>\`operation-removed\` \`bbbbbbbbbbbb\` \`releases/1.0.0.yaml:12:13\`

### Breaks generated code

- **GET /pets**: From maximum 100 to maximum 50.<br>\`operation-id-changed\` \`cccccccccccc\` \`releases/1.0.0.yaml:12:13\` → \`api.yaml:14:13\`

### Added

- **contract**: One more.

### Approved

- **GET /pets query parameter limit**: Less is accepted.<br>\`maximum 100\` → \`maximum 50\`<br>\`51\` was accepted and is now rejected<br>Approved until 2027-01-31: Nobody asks<br>\`request-maximum-narrowed\` \`dddddddddddd\` \`releases/1.0.0.yaml:12:13\` → \`api.yaml:14:13\``
  )
})

t.test('markdown: texts of a contract are escaped', async t => {
  const text = formats.markdown([
    report({
      changes: changes({
        findings: [
          finding({
            place: 'A|B_*`c`<b>[x](y)#~',
            rule: 'schema-removed',
            message: 'two\nlines',
            was: '`a`',
            is: 'b``|',
            witness: '```'
          }),
          finding({ witness: ['x'.repeat(80), '````'] })
        ]
      })
    })
  ])
  t.match(
    text,
    '- **A\\|B\\_\\*\\`c\\`\\<b\\>\\[x\\](y)\\#\\~**: two lines<br>`` `a` `` → ```b``|```<br>````"```"```` was accepted and is now rejected<br>'
  )
  t.match(text, /\n {2}`````json\n {2}\[\n {4}"x+",\n {4}"````"\n {2}\]\n {2}`````$/)
})

t.test('markdown: the other checks', async t => {
  const text = formats.markdown([
    report({ generated: ['a.ts: is stale\n- old\n+ new'], routes: { routes: 2, failures: [] } })
  ])
  t.equal(
    text,
    `### Stale

- a.ts: is stale
  \`\`\`diff
  - old
  + new
  \`\`\`

generated: 1 stale file

routes: 2 routes, no differences`
  )
})

t.test('html: the same in one file, which loads nothing, with texts of a contract escaped', async t => {
  const hostile = finding({
    place: 'A<script>alert(1)</script>',
    message: `<img src=x onerror='alert(1)'>&"`,
    was: '</code>',
    is: '\0\ud800',
    witness: ['x'.repeat(80), '</pre><script>']
  })
  const page = formats.html([report({ contract: '<title>', changes: changes({ findings: [hostile] }) })])
  const tags = new Set(page.match(/<\/?[a-z][^\s>]*/gi)?.map(each => each.replace(/<\/?/, '')))
  const own = ['html', 'head', 'meta', 'title', 'style', 'body', 'header', 'h1', 'nav', 'ul', 'li', 'a', 'main']
  t.strictSame([...tags].sort(), [...own, 'h2', 'h3', 'p', 'br', 'code', 'pre', 'strong'].sort())
  t.notMatch(page, /[\0\ud800]|https?:|url\(|@import/)
  t.match(page, '<strong>A&#60;script&#62;alert(1)&#60;/script&#62; in requests</strong>')
  t.match(page, `default-src 'none'`)
  const headings = formats.html([all]).match(/<h\d[^>]*>.*?<\/h\d>/g)
  t.strictSame(headings?.slice(0, 4), [
    '<h1>Check of api.yaml</h1>',
    '<h2 id="part-0">1.0.0</h2>',
    '<h3 id="part-1">Wrong</h3>',
    '<h3 id="part-2">Breaking</h3>'
  ])
  t.match(formats.html([report({ generated: ['a: is stale\n- old'] })]), '<h2 id="part-0">Stale</h2>')
})

t.test('a long value is cut for people, but complete for programs', async t => {
  const pet = { id: 1, name: '😀'.repeat(100), tags: Array.from({ length: 50 }, () => 'tag') }
  const witness = { items: Array.from({ length: 200 }, () => pet), message: 'a'.repeat(2001), next: null }
  const used = Array.from({ length: 20 }, (_, index) => `GET /${index}`)
  const long = report({ changes: changes({ findings: [finding({ place: 'Pets', uses: used, witness })] }) })
  const shown = [
    '{',
    '  "items": [',
    '    {',
    '      "id": 1,',
    `      "name": "${'😀'.repeat(40)}… (100 characters)",`,
    '      "tags": [… 50 more]',
    '    },',
    '    … 199 more',
    '  ],',
    `  "message": "${'a'.repeat(40)}… (2001 characters)",`,
    '  "next": null',
    '}'
  ]
  t.match(formats.text([long]), shown.map(line => `${' '.repeat(15)}${line}\n`).join(''))
  t.match(formats.markdown([long]), shown.map(line => `  ${line}\n`).join(''))
  t.match(
    formats.github([long]),
    `${shown.join('%0A')} was accepted and is now rejected%0Aused by GET /0, GET /1, GET /2 and 17 more`
  )
  t.strictSame(JSON.parse(formats.json([long])).changes.findings[0].witness, witness)
  const [{ message }] = JSON.parse(formats.sarif([long])).runs[0].results
  t.match(message.text, `${JSON.stringify(witness)} was accepted`)
  t.match(message.text, used.join(', '))
})

t.test('text: the place of what all operations of a path share is told without the path', async t => {
  const shared = finding({ place: '/pets query parameter limit', uses: ['DELETE /pets'] })
  const shown = '\n\nDELETE /pets\n  BREAKING     query parameter limit: Less is accepted.\n'
  t.match(formats.text([report({ changes: changes({ findings: [shared] }) })]), shown)
})

t.test('any value is cut to a dozen lines', async t => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), value => {
      const lines = excerpt(value as Json, 40)
      // An excerpt that is not cut is the value itself.
      const isWhole =
        lines.some(line => line.includes('…')) || jsonText(JSON.parse(lines.join('\n'))) === jsonText(value)
      return lines.length <= 12 && isWhole
    })
  )
  const pets = Array.from({ length: 9 }, (_, id) => ({ id, name: 'Rex', status: 'available' }))
  t.strictSame(
    excerpt(pets, 40).map(line => line.trim()),
    ['[', '{', '"id": 0,', '"name": "Rex",', '"status": "available"', '},', '… 8 more', ']']
  )
  const deep = { a: { b: { c: { d: { e: [{ f: 0 }], g: [] } } } } }
  t.ok(
    excerpt(deep, 20).some(line => line.includes('"e": [{"f":0}],')),
    'what is short is not cut'
  )
  t.strictSame(excerpt('a'.repeat(81), 80), [`"${'a'.repeat(40)}… (81 characters)"`])
  t.strictSame(excerpt([2n ** 63n], 3), ['[', '  9223372036854775808', ']'])
})

t.test('text: a part of several operations is listed by direction, and the whole contract comes last', async t => {
  const shared = { place: 'PetStatus', uses: ['GET /pets', 'POST /pets'] }
  const text = formats.text([
    report({
      changes: changes({
        findings: [
          finding({ place: 'contract', rule: 'schema-removed', uses: [] }),
          finding({ ...shared, rule: 'request-enum-narrowed' }),
          finding({ ...shared, rule: 'response-enum-widened' }),
          finding({ place: 'PetStatus', rule: 'response-enum-widened' }),
          finding({ rule: 'sunset-date-passed', message: 'It is still there.' })
        ]
      })
    })
  ])
  t.strictSame(text.match(/^[A-Z].*$/gm), [
    'PetStatus in requests, used by 2 operations: GET /pets, POST /pets',
    'PetStatus in responses, used by 2 operations: GET /pets, POST /pets',
    'GET /pets',
    'The whole contract'
  ])
  t.match(text, /BREAKING +PetStatus in responses: Less/)
  const inOne = report({ changes: changes({ findings: [finding({ place: 'Pet', rule: 'response-enum-widened' })] }) })
  t.match(formats.markdown([inOne]), '<br>Used by GET /pets<br>')
  t.match(formats.github([inOne]), '%0Aused by GET /pets%0A')
  t.notMatch(formats.github([report({ changes: changes({ findings: [finding({})] }) })]), 'used by')
  t.match(text, /ERROR +query parameter limit: It is still there\./)
  t.match(text, /^changes: 4 breaking, sunset-date-passed; /m)
})

t.test('reports: findings of one component are together, and what is the same is said once', t => {
  const many = Array.from({ length: 269 }, (_each, index) =>
    finding({ component: 'Pet', place: `Pet.a${index}`, uses: [`GET /${index}`], fingerprint: String(index) })
  )
  const other = finding({ component: 'Pet', place: 'Pet.b', uses: ['GET /0'], message: 'Another.', is: 'maximum 60' })
  const alone = finding({ component: 'Owner', place: 'Owner.b', uses: ['GET /0'], is: 'maximum 70' })
  const findings = [...many, alone, other]
  const grouped = report({ changes: changes({ findings }) })
  const text = formats.text([grouped])
  t.strictSame(text.match(/^(?:\S| {2}\S).*$/gm), [
    'api.yaml, compared with releases/1.0.0.yaml',
    'Pet, used by 269 operations: GET /0, GET /1, GET /2 and 266 more',
    '  BREAKING     Pet.a0 in requests: Less is accepted.',
    '  BREAKING     Pet.b in requests: Another.',
    'GET /0',
    '  BREAKING     Owner.b in requests: Less is accepted.',
    'changes: 271 breaking; version 1.0.0'
  ])
  const same = 'the same at 268 other places: Pet.a1 in requests, Pet.a2 in requests, Pet.a3 in requests and 265 more'
  t.match(text, `               ${same}\n`)
  t.match(text, 'request-maximum-narrowed 0 and 268 more')
  t.equal(formats.github([grouped]).match(/^::error /gm)?.length, 3)
  t.match(formats.github([grouped]), `%0A${same}%0A`)
  t.match(formats.github([grouped]), '%0Afingerprint 0, 1, 2,')
  const markdown = formats.markdown([grouped])
  t.match(
    markdown,
    '- **Pet, used by 269 operations: GET /0, GET /1, GET /2 and 266 more**\n  - **Pet.a0 in requests**: Less'
  )
  t.match(markdown, `<br>${same}<br>`)
  t.match(markdown, '\n- **Owner.b in requests**: ')
  t.equal(JSON.parse(formats.json([grouped])).changes.findings.length, 271)
  t.equal(JSON.parse(formats.sarif([grouped])).runs[0].results.length, 271)
  t.end()
})

t.test('sarif: a valid log with rules, locations and fingerprints', async t => {
  const log = JSON.parse(formats.sarif([all]))
  t.equal(log.version, '2.1.0')
  const [{ tool, results }] = log.runs
  t.equal(results.length, 7)
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    const { id, shortDescription } = tool.driver.rules[ruleIndex]
    t.strictSame({ id, isNamed: shortDescription.text.length > 0 }, { id: ruleId, isNamed: true })
    t.ok(['error', 'warning', 'note'].includes(level) && message.text.length > 0)
    const { artifactLocation, region } = locations[0].physicalLocation
    t.strictSame(
      { ...artifactLocation, ...region },
      { uri: 'api.yaml', startLine: region.startLine, startColumn: region.startColumn }
    )
    t.ok(region.startLine >= 1 && region.startColumn >= 1)
  }
  t.match(results[1], {
    ruleId: 'request-maximum-narrowed',
    relatedLocations: [{ physicalLocation: { artifactLocation: { uri: 'releases/1.0.0.yaml' } } }],
    partialFingerprints: { 'contractFinding/v1': '0123456789ab' }
  })
  t.notOk('suppressions' in results[1])
  t.strictSame(results[6].suppressions, [
    { kind: 'external', status: 'accepted', justification: 'approved until 2027-01-31: Nobody asks' }
  ])
})

t.test('sarif: a file at a revision, or elsewhere, has a relative or absolute URL', async t => {
  const uriOf = (file: string) => {
    const findings = [finding({ after: { file, line: 1, column: 1 } })]
    const log = JSON.parse(formats.sarif([report({ changes: changes({ findings }) })]))
    return log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri
  }
  t.equal(uriOf('main:api/a b.yaml'), 'main%3Aapi/a%20b.yaml')
  t.equal(uriOf('/tmp/a.yaml'), 'file:///tmp/a.yaml')
})
