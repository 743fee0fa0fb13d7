import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { key } from '../code.ts'
import { Identifiers, Names } from '../names.ts'
import { holderOf, methodsOf, reachedInstead } from '../routed.ts'

interface Operation {
  operationId: string
  method: string
  path: string
  summary: string
  tag: string | undefined
}

/** The operations that need a handler: those that declare a 501, and those whose requests reach another one, need none. */
const operationsIn = (document: JsonObject): Operation[] => {
  const unrouted = reachedInstead(document)
  return entriesOf(document.paths).flatMap(([path, item]) =>
    methodsOf(item as JsonObject).flatMap((method): Operation[] => {
      const { operationId, summary, tags, responses } = holderOf(item as JsonObject, method)[method] as JsonObject
      if (unrouted.has(`${method} ${path}`) || (isObject(responses) && '501' in responses)) return []
      const tag = Array.isArray(tags) && typeof tags[0] === 'string' ? tags[0] : undefined
      return [{ operationId: String(operationId), method: method.toUpperCase(), path, summary: text(summary), tag }]
    })
  )
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/**
 * The files in `src/handlers/` of a new project, by name: one for each tag, and `index.ts`, where the compiler compares them
 * with the contract. `examples` are the operations that have generated examples.
 */
export const handlerFiles = (document: JsonObject, examples: ReadonlySet<string>): Map<string, string> => {
  const all = operationsIn(document)
  const byTag = Map.groupBy(all, ({ tag }) => tag)
  // In a `Partial` of all handlers, inherited members of these names would have to be handlers.
  const isInherited = all.some(({ operationId }) => operationId in Object.prototype)
  const typeFor = (operations: readonly Operation[]) =>
    isInherited
      ? `Pick<Handlers<typeof operations>, ${operations.map(({ operationId }) => JSON.stringify(operationId)).join(' | ')}>`
      : 'Partial<Handlers<typeof operations>>'
  // Some file systems do not distinguish A from a.
  const files = new Names(['index'], '-')
  const identifiers = new Identifiers(['handlers'])
  const made = [...byTag].map(([tag, operations]) => {
    const file = files.give(fileNameOf(tag ?? 'untagged'))
    const name = identifiers.of(`${file.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())}Handlers`)
    return { file, name, text: handlerFile(name, tag, operations, examples, typeFor(operations)) }
  })
  return new Map([...made.map(each => [`${each.file}.ts`, each.text] as const), ['index.ts', indexFile(made)]])
}

const fileNameOf = (tag: string) =>
  tag
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'tag'

const handlerFile = (
  name: string,
  tag: string | undefined,
  operations: readonly Operation[],
  examples: ReadonlySet<string>,
  type: string
): string => {
  const has = ({ operationId }: Operation) => examples.has(operationId)
  const members = operations.map(operation => {
    const { operationId, method, path, summary } = operation
    const value = has(operation) ? `examples${member(operationId)}` : 'unwritten'
    return `${comment([`${method} ${path}`, summary].filter(each => each !== '').join(': '))}\n${key(operationId)}: ${value}`
  })
  return `
${importOf(operations.every(has) ? 'type { Handlers }' : '{ type Handlers, unwritten }', '@contract-first/fastify')}
${operations.some(has) ? `${importOf('{ examples }', '../../generated/examples.js')}\n` : ''}${ownImports}

${comment(tag === undefined ? 'The operations without tags.' : `The operations tagged ${tag}.`)}
export const ${name} = (_store: ServiceStore) => ({
${members.join(',\n')}
}) satisfies ${type}
`
}

const member = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

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
