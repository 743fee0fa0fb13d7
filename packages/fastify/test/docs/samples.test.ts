import t from 'tap'
import type { SampleRequest } from '../../src/docs/browser/sample-request.ts'
import { samplesOf } from '../../src/docs/browser/samples.ts'

const request = (more: Partial<SampleRequest>): SampleRequest => ({
  method: 'POST',
  url: 'http://127.0.0.1:3000/v1/pets?x=1',
  headers: { Authorization: 'Bearer YOUR_API_KEY', 'Content-Type': 'application/json' },
  body: undefined,
  baseUrl: 'http://127.0.0.1:3000/v1',
  operation: {},
  parameters: [],
  credentials: [],
  ...more
})
const textOf = (language: string, more: Partial<SampleRequest>) => samplesOf(request(more), '')[language]?.text() ?? ''

t.test('samples send a body as it is, and no language evaluates what is in it', async t => {
  const text = `{"a": "It's \\"$HOME\\" #{x} \`y\` \${z} ‘q’ \\\\", "b": 9007199254740993, "c": 1.50}`
  const json = JSON.stringify(text)
  const single = text.replace(/[\\']/g, '\\$&')
  for (const [language, sent] of [
    ['Python', `    data=${json}.encode(),`],
    ['Go', `strings.NewReader(${json})`],
    ['Java', `BodyPublishers.ofString(${json})`],
    ['C#', `new StringContent(${json});`],
    ['PHP', `CURLOPT_POSTFIELDS => '${single}',`],
    ['Ruby', `request.body = '${single}'`],
    ['PowerShell', `GetBytes('${text.replace(/['‘’]/g, '$&$&')}')`],
    ['HTTP', `\n\n${text}`]
  ] as const)
    t.ok(textOf(language, { body: text }).includes(sent), textOf(language, { body: text }))
})

t.test('a body of several lines keeps them where the language allows it', async t => {
  const text = '{\n  "a": 1\n}'
  for (const [language, sent] of [
    ['Python', `"""${text}"""`],
    ['Go', `\`${text}\``],
    ['Java', `"""\n${text}"""`],
    ['C#', `"""\n${text}\n"""`],
    ['PHP', `'${text}'`]
  ] as const) {
    t.ok(textOf(language, { body: text }).includes(sent), language)
    // With what would end such a text, or be an escape in it.
    for (const odd of ['"""', '`', '\\n']) {
      const body = `${text}\n${odd}`
      const isRaw =
        (language === 'Go' && odd !== '`') ||
        (language === 'C#' && odd !== '"""') ||
        ((language === 'Python' || language === 'Java') && odd === '`')
      if (language !== 'PHP')
        t.equal(textOf(language, { body }).includes(JSON.stringify(body)), !isRaw, `${language}: ${odd}`)
    }
  }
})

t.test('forms in parts, files and cookies', async t => {
  const file = new File(['cat'], 'cat.png', { type: 'image/png' })
  const form: [string, string | Blob][] = [
    ['name', "it's"],
    ['file', file]
  ]
  const credentials: SampleRequest['credentials'] = [
    { in: 'cookie', name: 'session', value: 'YOUR_KEY', option: 'key', placeholder: 'YOUR_KEY' }
  ]
  for (const [language, part, whole, cookie] of [
    ['Python', '("file", open("cat.png", "rb")),', 'data=open("cat.png", "rb"),', '"Cookie": "session=YOUR_KEY",'],
    ['Go', undefined, 'os.Open("cat.png")', 'request.Header.Set("Cookie", "session=YOUR_KEY")'],
    ['Java', undefined, 'ofFile(Path.of("cat.png"))', '.header("Cookie", "session=YOUR_KEY")'],
    [
      'C#',
      'form.Add(new StreamContent(File.OpenRead("cat.png")), "file", "cat.png");',
      'new StreamContent(File.OpenRead("cat.png"));',
      'TryAddWithoutValidation("Cookie", "session=YOUR_KEY");'
    ],
    ['PHP', `'file' => new CURLFile('cat.png'),`, `file_get_contents('cat.png'),`, `'Cookie: session=YOUR_KEY',`],
    ['Ruby', `['file', File.open('cat.png')],`, `File.binread('cat.png')`, `request['Cookie'] = 'session=YOUR_KEY'`],
    ['PowerShell', `'file' = Get-Item 'cat.png'`, `InFile = 'cat.png'`, `'Cookie' = 'session=YOUR_KEY'`],
    ['HTTP', undefined, undefined, 'Cookie: session=YOUR_KEY']
  ] as const) {
    for (const [body, text] of [
      [form, part],
      [file, whole]
    ] as const) {
      const sample = textOf(language, { body })
      t.ok(text === undefined ? sample === '' : sample.includes(text), `${language}: ${sample}`)
    }
    t.match(textOf(language, { credentials }), cookie, language)
    t.notMatch(textOf(language, { body: form }), 'application/json', 'the parts have a boundary')
  }
})
