// What TypeScript 5.9 does not know yet of ECMAScript: JSON.parse source text access.
interface JSON {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
  ): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}
