// Known to V8 and not yet to TypeScript.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON in which large integers keep their digits. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each), indent)
