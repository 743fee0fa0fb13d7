/** A logger for `buildApp`, and its lines. */
export const logged = (level = 'warn') => {
  // biome-ignore lint/suspicious/noExplicitAny: log lines may have any fields
  const lines: any[] = []
  return { lines, logger: { level, stream: { write: (line: string) => void lines.push(JSON.parse(line)) } } }
}
