import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { key } from '../code.ts'
import { Identifiers, Names } from '../names.ts'
import { holderOf, methodsOf, reachedInstead } from '../routed.ts'

/** An operation that needs a handler. */
export interface OperationToWrite {
  operationId: string
  method: string
  path: string
  summary: string
  tag: string | undefined
  responses: Json | undefined
}

/** The operations that need a handler: those that declare a 501, and those whose requests reach another one, need none. */
export const operationsToWrite = (document: JsonObject): OperationToWrite[] => {
  const unrouted = reachedInstead(document)
  return entriesOf(document.paths).flatMap(([path, item]) =>
    methodsOf(item as JsonObject).flatMap((method): OperationToWrite[] => {
      const { operationId, summary, tags, responses } = holderOf(item as JsonObject, method)[method] as JsonObject
      if (unrouted.has(`${method} ${path}`) || (isObject(responses) && '501' in responses)) return []
      const tag = Array.isArray(tags) && typeof tags[0] === 'string' ? tags[0] : undefined
      return [
        { operationId: String(operationId), method: method.toUpperCase(), path, summary: text(summary), tag, responses }
      ]
    })
  )
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/**
 * The files in `src/handlers/` of a new project, by name: one for each tag, and `index.ts`, where the compiler compares them
 * with the contract. `examples` are the operations that have generated examples.
 */
export const handlerFiles = (document: JsonObject, examples: ReadonlySet<string>): Map<string, string> => {
  const all = operationsToWrite(document)
  const byTag = Map.groupBy(all, ({ tag }) => tag)
  // In a `Partial` of all handlers, inherited members of these names would have to be handlers.
  const isInherited = all.some(({ operationId }) => operationId in Object.prototype)
  const typeFor = (operations: readonly OperationToWrite[]) =>
    isInherited
      ? `Pick<Handlers<typeof operations>, ${operations.map(({ operationId }) => JSON.stringify(operationId)).join(' | ')}>`
      : undefined
  // Some file systems do not distinguish A from a.
  const files = new Names(['index'], '-')
  const identifiers = new Identifiers(['handlers'])
  const made = [...byTag].map(([tag, operations]) => {
    const file = files.give(fileNameOf(tag ?? 'untagged'))
    const name = identifiers.of(handlersNameOf(file))
    return { file, name, text: handlerFile(name, tag, operations, examples, typeFor(operations)) }
  })
  return new Map([...made.map(each => [`${each.file}.ts`, each.text] as const), ['index.ts', indexFile(made)]])
}

/** In kebab-case. */
export const fileNameOf = (tag: string) =>
  tag
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'tag'

/** `petFoodHandlers` in `pet-food.ts` */
export const handlersNameOf = (file: string) =>
  `${file.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()).replace(/^(?=\d)/, '_')}Handlers`

/** A file in `src/handlers/`. */
export const handlerFile = (
  name: string,
  tag: string | undefined,
  operations: readonly OperationToWrite[],
  examples: ReadonlySet<string>,
  type = 'Partial<Handlers<typeof operations>>'
): string => {
  const has = ({ operationId }: OperationToWrite) => examples.has(operationId)
  const members = operations.map(each => `${commentOn(each)}\n${stubOf(each, examples)}`)
  return `
${importOf(operations.every(has) ? 'type { Handlers }' : '{ type Handlers, unwritten }', '@contract-first/fastify')}
${operations.some(has) ? `${importOf('{ examples }', '../../generated/examples.js')}\n` : ''}${ownImports}

${comment(tag === undefined ? 'The operations without tags.' : `The operations tagged ${tag}.`)}
export const ${name} = (_store: ServiceStore) => ({
${members.join(',\n')}
}) satisfies ${type}
`
}

/** A comment with its method, path and summary. */
export const commentOn = ({ method, path, summary }: OperationToWrite): string =>
  comment([`${method} ${path}`, summary].filter(each => each !== '').join(': '))

/** A handler until it is written: `deletePet: examples.deletePet`, or `deletePet: unwritten` if there is no example. */
export const stubOf = ({ operationId }: OperationToWrite, examples: ReadonlySet<string>): string =>
  `${isIdentifier(operationId) ? operationId : key(operationId)}: ${examples.has(operationId) ? `examples${member(operationId)}` : 'unwritten'}`

const isIdentifier = (name: string) => name !== '__proto__' && /^[A-Za-z_$][\w$]*$/.test(name)

export const member = (name: string) => (isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

/** In one line, whatever the contract's texts contain. */
const comment = (words: string) => `/** ${words.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim()} */`

const importOf = (what: string, path: string) => `import ${what} from '${path}'`

const ownImports = [
  importOf('type { operations }', '../../generated/operations.ts'),
  importOf('type { ServiceStore }', '../store.ts')
].join('\n')

const indexFile = (made: readonly { file: string; name: string }[]) => `
${importOf('type { Handlers }', '@contract-first/fastify')}
${ownImports}
${made.map(({ file, name }) => importOf(`{ ${name} }`, `./${file}.ts`)).join('\n')}

/** A handler for each operation. After a change of the contract, the compiler names here what is missing. */
export const handlers = (store: ServiceStore) => ({
${made.map(({ name }) => `...${name}(store)`).join(',\n')}
}) satisfies Handlers<typeof operations>
`
