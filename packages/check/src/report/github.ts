import type { Message } from './messages.ts'

const commands = { error: 'error', warning: 'warning', note: 'notice' }

/** Escaped as https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts does. */
export const annotation = ({ level, rule, text, at: { file, line, column } }: Message): string => {
  const properties = { file, line, col: column, title: rule }
  const list = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`)
  return `::${commands[level]} ${list.join()}::${data(text)}`
}

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
