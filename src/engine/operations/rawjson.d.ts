// ECMA-262 has these (JSON.parse source text access); TypeScript 5.9 does not know them yet.
interface JSON {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
  ): unknown
  rawJSON(text: string): object
}
