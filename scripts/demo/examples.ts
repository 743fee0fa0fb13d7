import { invalidRequest, shortened } from '../../src/engine/errors.ts'

/** An answer as the contract shows it. */
export interface Example {
  status: number
  headers: Record<string, string>
  /** `undefined` where the contract declares none. */
  body: unknown
}

export interface Choice {
  code?: string | undefined
  /** The name of an example. */
  example?: string | undefined
}

/** What the contract declares of one operation's answers, and shows of them. */
export interface Examples {
  /**
   * The example that is asked for: the first of an answer unless it is named, of the lowest status that has the name
   * unless a code is given.
   * @throws ApiError naming what there is, when there is no such answer or example
   */
  choose(choice: Choice): Example
  /** The answer of the lowest status from `from` to `to` that is shown, if there is any. */
  lowest(from: number, to: number): Example | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, looked into place by place
type Node = any

/** By operation. */
export const examplesOf = (document: Node): ReadonlyMap<string, Examples> => {
  const resolve = (node: Node): Node => {
    if (typeof node?.$ref !== 'string') return node
    const path: string[] = node.$ref.slice(2).split('/')
    return resolve(
      path.reduce((at, name) => at[decodeURIComponent(name.replaceAll('~1', '/').replaceAll('~0', '~'))], document)
    )
  }

  const answersOf = (operation: Node): Answer[] =>
    Object.entries(operation.responses).map(([key, reference]) => {
      const response = resolve(reference)
      const headers: Record<string, string> = {}
      let lacks: string | undefined
      for (const [name, each] of Object.entries(response.headers ?? {})) {
        const header = resolve(each)
        const [first] = shownBy(header, resolve)
        if (first !== undefined) headers[name] = String(first.value)
        else if (header.required === true) lacks ??= `header ${name}`
      }
      const content = response.content?.['application/json']
      const bodies = content === undefined ? [{ value: undefined }] : shownBy(content, resolve)
      if (bodies.length === 0) lacks = 'body'
      return { key, headers, bodies, lacks }
    })

  const operations = Object.values<Node>(document.paths).flatMap(item =>
    Object.values<Node>(item).filter(each => each?.operationId !== undefined)
  )
  return new Map(operations.map(each => [each.operationId, examplesAmong(each.operationId, answersOf(each))]))
}

/** A declared answer; `key` is a status, a range like `4XX`, or `default`. */
interface Answer {
  key: string
  headers: Record<string, string>
  bodies: { name?: string; value: unknown }[]
  /** The part that is always sent, yet has no example: then nothing honest can be shown. */
  lacks: string | undefined
}

const shownBy = ({ example, examples = {} }: Node, resolve: (node: Node) => Node): Answer['bodies'] => {
  const named = Object.entries(examples).map(([name, reference]) => ({ name, value: resolve(reference).value }))
  // One that is only a link to somewhere else has no value.
  const all = example === undefined ? named : [{ value: example }, ...named]
  return all.filter(each => each.value !== undefined)
}

const examplesAmong = (operationId: string, answers: readonly Answer[]): Examples => {
  const shown = ({ key, headers, bodies }: Answer, status = lowestOf(key), name?: string): Example => ({
    status,
    headers,
    body: bodies.find(each => name === undefined || each.name === name)?.value
  })
  const has = (name: string) => (answer: Answer) => answer.bodies.some(each => each.name === name)
  const namesIn = (among: readonly Answer[]) =>
    [...new Set(among.flatMap(({ bodies }) => bodies.flatMap(({ name }) => name ?? [])))].join(', ') || 'none'

  return {
    choose({ code, example }) {
      const answer = code === undefined ? answers.find(has(example ?? '')) : answerFor(code, answers)
      if (answer === undefined && code !== undefined)
        throw invalidRequest(
          `Prefer: code=${shortened(code)} is no answer of ${operationId}; it declares ${answers.map(({ key }) => key).join(', ')}.`
        )
      if (answer === undefined || (example !== undefined && !has(example)(answer)))
        throw invalidRequest(
          `Prefer: example=${shortened(example ?? '')} is no example of ${operationId}${code === undefined ? '' : ` ${code}`}; ` +
            `those with a name are: ${namesIn(answer === undefined ? answers : [answer])}.`
        )
      if (answer.lacks !== undefined)
        throw invalidRequest(
          `Prefer: code=${code ?? answer.key} cannot be answered: the contract has no example of its ${answer.lacks}.`
        )
      return shown(answer, code === undefined ? undefined : Number(code), example)
    },

    lowest(from, to) {
      const answer = answers.find(({ key, lacks }) => {
        const status = key === 'default' ? Number.NaN : lowestOf(key)
        return lacks === undefined && status >= from && status <= to
      })
      return answer && shown(answer)
    }
  }
}

const answerFor = (code: string, answers: readonly Answer[]) =>
  /^[2-5]\d\d$/.test(code)
    ? [code, `${code[0]}XX`, 'default']
        .map(key => answers.find(each => each.key === key))
        .find(each => each !== undefined)
    : undefined

/** The status that stands for a key. */
const lowestOf = (key: string) => (key === 'default' ? 500 : Number(key.replace('XX', '00')))
