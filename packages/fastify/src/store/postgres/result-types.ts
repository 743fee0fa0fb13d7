import pg, { type FieldDef, type PoolClient } from 'pg'
import { parseJson } from '../../node/json.ts'

type Parse = (text: string) => unknown

const TEXT = 25
const TEXT_ARRAY = 1009
// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const own: readonly (readonly [type: number, list: number, parse: Parse])[] = [
  [20, 1016, BigInt], // int8
  [114, 199, text => parseJson(Buffer.from(text))], // json
  [3802, 3807, text => parseJson(Buffer.from(text))], // jsonb
  // The driver reads numeric in lists as double, and these in the time zone of this machine.
  [1700, 1231, String], // numeric
  [1082, 1182, String], // date
  [1114, 1115, String] // timestamp
]

/** The driver's parser of a type; for an unknown type, it leaves the text as it is. */
const driversParser = (type: number): Parse => pg.types.getTypeParser(type)

/** Reads the columns of results, which depends on the types in the database. */
export class ResultTypes {
  readonly overrides = new pg.TypeOverrides()
  readonly #known = new Set<number>([TEXT])

  constructor() {
    for (const [type, list, parse] of own) {
      this.#set(type, parse)
      this.#set(list, listOf(parse))
    }
  }

  /** Reads lists of types that the driver does not know, such as enums, and has left as text. */
  async read(client: PoolClient, fields: readonly FieldDef[], rows: readonly unknown[][]): Promise<void> {
    const unknown = new Set<number>()
    for (const { dataTypeID } of fields) if (!this.#isKnown(dataTypeID)) unknown.add(dataTypeID)
    if (unknown.size === 0) return
    await this.#learn(client, [...unknown])
    for (const [at, { dataTypeID }] of fields.entries()) {
      if (!unknown.has(dataTypeID)) continue
      const parse = this.#parser(dataTypeID)
      for (const row of rows) if (row[at] !== null) row[at] = parse(row[at] as string)
    }
  }

  #isKnown(type: number): boolean {
    if (!this.#known.has(type) && driversParser(type) !== driversParser(0)) this.#known.add(type)
    return this.#known.has(type)
  }

  #parser(type: number): Parse {
    return this.overrides.getTypeParser(type, 'text') as unknown as Parse
  }

  #set(type: number, parse: Parse): void {
    this.overrides.setTypeParser(type, parse)
    this.#known.add(type)
  }

  async #learn(client: PoolClient, types: readonly number[]): Promise<void> {
    const { rows } = await client.query({ text: elements, values: [types], rowMode: 'array' })
    for (const [list, element] of rows as unknown as [number, number][]) this.#set(list, listOf(this.#parser(element)))
    for (const type of types) if (!this.#known.has(type)) this.#set(type, String)
  }
}

// Elements of a domain are those of the type that it is based on.
const elements = `SELECT list.oid, coalesce(nullif(element.typbasetype, 0), element.oid)
  FROM pg_type AS list JOIN pg_type AS element ON element.oid = list.typelem
  WHERE list.oid = ANY ($1::oid[]) AND list.typcategory = 'A' AND element.typdelim = ','`

const listOf =
  (parse: Parse): Parse =>
  text => {
    const read = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(read)
      return value === null ? null : parse(value as string)
    }
    return read(driversParser(TEXT_ARRAY)(text))
  }
