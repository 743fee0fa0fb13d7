import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { withProgress } from '../../fastify/src/commands/progress.ts'
import { readFolderArguments } from './folder-arguments.ts'
import { documentsIn } from './generality/documents.ts'
import { aligned } from './generality/table.ts'
import { type Mock, ownMock, prism, startMock } from './mocks/mock-server.ts'
import { ask, type Mistake, type Question, questionsOf, type Verdicts } from './mocks/verdicts.ts'

const usage = `Usage: npm run mocks -- FOLDER [--prism PATH]

Starts the mock with each OpenAPI document in FOLDER, and sends requests that the document allows, and requests with one thing
wrong. Prints which documents it starts with, how many valid requests get a 4xx, how many invalid ones get a success, and how
many of either a 5xx or nothing. With Prism, of which \`npm i @stoplight/prism-cli\` in another folder installs
node_modules/.bin/prism, the same for that, with the same requests. Fails if this mock is wrong once.

  --prism PATH    the program of Prism
  --operations N  at most so many operations of each document, spread over all of it; default: 40
  --seed N        the same seed sends the same requests; default: 1
  --mistakes N    print at most so many of this mock's mistakes; default: 20
  --help          this text`

interface Row {
  document: string
  questions: readonly Question[]
  /** By mock; undefined if it does not start. */
  results: ({ seconds: number; verdicts: Verdicts } | undefined)[]
}

const compare = async (
  folder: string,
  mocks: readonly Mock[],
  mostOperations: number,
  seed: number
): Promise<Row[]> => {
  const rows: Row[] = []
  await withProgress(async show => {
    for (const document of documentsIn(folder)) {
      const file = join(folder, document)
      const questions = questionsOf(file, mostOperations, seed)
      const results: Row['results'] = []
      for (const mock of mocks) {
        show(`${document}: ${questions.length} requests to ${mock.name} …`)
        const running = await startMock(mock, file)
        results.push(running && { seconds: running.seconds, verdicts: await ask(mock, running, questions) })
        await running?.stop()
      }
      rows.push({ document, questions, results })
    }
  })
  return rows
}

const tableOf = (rows: readonly Row[], mocks: readonly Mock[]): string => {
  const head = ['document', 'valid', 'invalid', ...mocks.flatMap(({ name }) => [name, '4xx', '2xx', '5xx'])]
  const countsOf = (those: readonly Row[]) => {
    const questions = those.flatMap(each => each.questions)
    const valid = questions.filter(each => each.isValid).length
    return [String(valid), String(questions.length - valid)]
  }
  const mistakesOf = (those: readonly Row[], mock: number) =>
    (['wrong4xx', 'wrong2xx', 'failed'] as const).map(what =>
      String(those.reduce((sum, { results }) => sum + (results[mock]?.verdicts[what].length ?? 0), 0))
    )
  return aligned([
    head,
    ...rows.map(row => [
      row.document,
      ...countsOf([row]),
      ...row.results.flatMap((result, mock) =>
        result === undefined ? ['no', '', '', ''] : [`${result.seconds.toFixed(1)} s`, ...mistakesOf([row], mock)]
      )
    ]),
    [
      `${rows.length} documents`,
      ...countsOf(rows),
      ...mocks.flatMap((_, mock) => {
        const started = rows.filter(({ results }) => results[mock] !== undefined)
        return [`${started.length} start`, ...mistakesOf(rows, mock)]
      })
    ]
  ])
}

const shown = ({ question: { operation, call }, status }: Mistake) =>
  `${operation.id}: ${call.what} gets ${status ?? 'no response'}; sent: ${`${call.method} ${call.url} ${call.payload ?? ''}`.slice(0, 300)}`

const main = async (): Promise<number> => {
  const given = readFolderArguments(usage, { operations: 40, seed: 1, mistakes: 20 }, ['prism'])
  if (typeof given === 'number') return given
  const { folder, numbers, texts } = given
  if (texts.prism !== undefined && !existsSync(texts.prism)) {
    console.error(`there is no file ${texts.prism}\n\n${usage}`)
    return 2
  }
  const mocks = [ownMock, ...(texts.prism === undefined ? [] : [prism(texts.prism)])]
  const rows = await compare(folder, mocks, numbers.operations, numbers.seed)
  console.log(tableOf(rows, mocks))
  const own = rows.flatMap(({ document, results: [result] }) =>
    result === undefined
      ? [`${document}: does not start`]
      : Object.values<Mistake[]>({ ...result.verdicts }).flatMap(each => each.map(one => `${document} ${shown(one)}`))
  )
  for (const each of own.slice(0, numbers.mistakes)) console.error(`\n${each}`)
  return own.length > 0 || rows.length === 0 ? 1 : 0
}

process.exitCode = await main()
