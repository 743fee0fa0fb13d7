// JSON.parse source text access (ECMA-262), which TypeScript 5.9 does not know yet.
interface JSON {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
  ): unknown
  rawJSON(text: string): object
}
