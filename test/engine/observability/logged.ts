/** A logger for `buildApp`, and what it has logged. */
export const logged = (level = 'warn') => {
  // biome-ignore lint/suspicious/noExplicitAny: log lines have the fields that whoever logs gives them
  const lines: any[] = []
  return { lines, logger: { level, stream: { write: (line: string) => void lines.push(JSON.parse(line)) } } }
}
