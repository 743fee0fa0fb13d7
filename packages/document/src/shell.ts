/** One word of a shell command, in quotes only if it needs them. */
export const shellWord = (text: string): string => (/^[\w./:@^~-]+$/.test(text) ? text : shellQuoted(text))

/** In single quotes, for a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
