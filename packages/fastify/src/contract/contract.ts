import { accessSync, constants, readFileSync } from 'node:fs'
import type { Compiled } from './compiled.ts'
import type { Contents, ObjectSchema, Schema, Written } from './schema.ts'

export type { AnyMedia, Contents, ObjectSchema, Schema, Written } from './schema.ts'

/** What the generator makes of a contract, and the documents to publish. */
export interface Contract {
  /** The prefix of every operation's path, unless it has one of its own. */
  readonly basePath: string
  /** The defaults are in `limitsOf`. */
  readonly limits: Partial<Limits>
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  readonly operations: Operations
  /** Checks and writers of the operations' schemas. */
  readonly compiled: Compiled
  readonly documents: { readonly yaml: Buffer; readonly json: Buffer; readonly changelog: Buffer }
  /** The npm package of the generated client, if it is published: the documentation page shows how to call it. */
  readonly clientPackage?: string | undefined
}

/** A security scheme, as the contract declares it. */
export interface SecurityScheme {
  readonly type: string
  readonly scheme?: string
  readonly in?: string
  readonly name?: string
}

/** The documents to publish, as `file://` URLs. */
export interface ContractFiles {
  /** The document as it is written, if it is in one file; otherwise `openapi.json` in the folder `generated`. */
  readonly contract: URL
  /** The folder of generated files, with `/` at its end. */
  readonly generated: URL
}

/**
 * A contract, from what its generated modules export and the documents to publish.
 * The documents are read when they are first asked for.
 * @throws Error if one of them cannot be read
 */
export const contractOf = <Generated extends Omit<Contract, 'documents'>>(
  generated: Generated,
  files: ContractFiles
): Generated & Pick<Contract, 'documents'> => ({
  ...generated,
  documents: readOnDemand({
    yaml: files.contract,
    json: new URL('openapi.json', files.generated),
    changelog: new URL('CHANGELOG.md', files.generated)
  })
})

/** Not read at the start: large documents would be a tenth of each process's memory, even if nobody asks for them. */
const readOnDemand = <Name extends string>(files: Readonly<Record<Name, URL>>): Readonly<Record<Name, Buffer>> => {
  const contents = {} as Record<Name, Buffer>
  for (const [name, file] of Object.entries<URL>(files)) {
    accessSync(file, constants.R_OK)
    let read: Buffer | undefined
    Object.defineProperty(contents, name, { enumerable: true, get: () => (read ??= readFileSync(file)) })
  }
  return contents
}

/** The largest request, in bytes. */
export interface Limits {
  readonly uriBytes: number
  readonly headerBytes: number
  readonly bodyBytes: number
}

/** A contract's limits, with defaults. */
export const limitsOf = ({ limits }: Pick<Contract, 'limits'>): Limits => ({
  uriBytes: 8_000,
  headerBytes: 16_384,
  bodyBytes: 65_536,
  ...limits
})

/** The contract's operations, by operationId. */
export type Operations = Readonly<Record<string, AnyOperation>>

/** The generated entry of any operation. */
export interface AnyOperation {
  readonly operationId: string
  readonly method: string
  /** Set if it is not the contract's. */
  readonly basePath?: string
  /** Further base paths of the same operation, from other values of server variables. */
  readonly otherBasePaths?: readonly string[]
  readonly path: string
  readonly url: string
  readonly tags: readonly string[]
  readonly input: {
    readonly params?: ObjectSchema
    readonly query: ObjectSchema
    readonly headers?: ObjectSchema
    readonly cookies?: ObjectSchema
    readonly body?: Schema
  }
  /** By media type, if the body may be something other than JSON. */
  readonly bodies?: Contents
  readonly bodyRequired: boolean
  /** The largest body, if it is not the contract's. */
  readonly bodyBytes?: number
  readonly commaSeparated: readonly string[]
  /** Alternatives, each with the schemes that it requires together, and the scopes or roles of each. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  /** How parameters are written, by part and name; only for parts where one is not a plain text or list. */
  readonly styles?: Readonly<Record<string, Readonly<Record<string, Written>>>>
  /** With `contents` by media type, if the body may be something other than JSON. */
  readonly responses: Readonly<
    Record<string, { readonly headers: AnyHeaders; readonly body?: Schema; readonly contents?: Contents }>
  >
  readonly lifecycle: {
    readonly stability?: string
    readonly deprecation?: {
      readonly removalDate?: string
      readonly replacedBy?: string
      readonly headers: Readonly<Record<string, string>>
    }
  }
}

/** The headers of a response, by name. */
export type AnyHeaders = Readonly<Record<string, AnyHeader>>
export interface AnyHeader {
  readonly required: boolean
  readonly schema: Schema
  /** Set if it is not a plain text. */
  readonly written?: Written
}

/**
 * Under which key responses to a status are declared: its own, a range like `4XX`, or `default`, which is for the rest beside a
 * declared success.
 */
export const responseKey = (responses: object, status: number): string | undefined => {
  const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(each => each in responses)
  const isForRest = key === 'default' && status < 300 && Object.keys(responses).some(each => each.startsWith('2'))
  return isForRest ? undefined : key
}

/** What every handler returns. */
export interface AnyResult {
  status: number
  headers?: Record<string, string | number>
  /** Required if the contract declares several media types, or a range. Default: application/json. */
  contentType?: string | undefined
  body?: unknown
}

/** The operations below each base path; the contract's own is the first. */
export const byBasePath = ({ basePath, operations }: Pick<Contract, 'basePath' | 'operations'>) => {
  const own = Map.groupBy(Object.values(operations), each => each.basePath ?? basePath)
  return new Map([[basePath, []], ...own])
}

/** The same, with further base paths of an operation, from other values of server variables. */
export const withOtherBasePaths = (contract: Pick<Contract, 'basePath' | 'operations'>) => {
  const all = byBasePath(contract) as Map<string, AnyOperation[]>
  for (const each of Object.values(contract.operations))
    for (const other of each.otherBasePaths ?? []) all.set(other, [...(all.get(other) ?? []), each])
  return all
}

/** Each base path with the one that it stands for, or itself, longest first; `undefined` if none stands for another. */
export const basePathStandIns = (
  contract: Pick<Contract, 'basePath' | 'operations'>
): ReadonlyMap<string, string> | undefined => {
  const others = Object.values(contract.operations).flatMap(
    ({ basePath: own = contract.basePath, otherBasePaths = [] }) => otherBasePaths.map(other => [other, own] as const)
  )
  if (others.length === 0) return undefined
  const all = [...others, ...[...byBasePath(contract).keys()].map(own => [own, own] as const)]
  return new Map(all.toSorted(([one], [two]) => two.length - one.length))
}

/** Whether it has only JSON bodies, and parameters that are plain texts or lists. */
export const isPlain = ({ input, bodies, styles, responses }: AnyOperation): boolean =>
  bodies === undefined &&
  styles === undefined &&
  input.cookies === undefined &&
  Object.values(responses).every(
    ({ headers, contents }) =>
      contents === undefined && Object.values(headers).every(({ written }) => written === undefined)
  )

// draft-ietf-httpapi-idempotency-key-header
export const idempotencyHeader = 'idempotency-key'

/**
 * Whether the engine makes it safe to repeat. Without credentials, a key belongs to nobody; and bodies that are streams or
 * files cannot be compared. Both are left to the handler.
 */
export const isRepeatable = ({ input, security, bodies = {} }: AnyOperation): boolean =>
  Object.keys(input.headers?.properties ?? {}).some(name => name.toLowerCase() === idempotencyHeader) &&
  security.some(schemes => Object.keys(schemes).length > 0) &&
  !Object.values(bodies).some(({ kind }) => kind === 'stream' || kind === 'multipart')

/** The contract requires something that the service cannot do, so the start fails. */
export class ContractNotServed extends Error {
  override readonly name = 'ContractNotServed'

  constructor(reason: string) {
    super(`The contract cannot be served: ${reason}.`)
  }
}
