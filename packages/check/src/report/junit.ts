import type { Message } from './messages.ts'

/** JUnit's XML, as CI servers read it: a test for each message, which fails unless it is a note, and one for each check. */
export const junit = (messages: readonly Message[], summaries: readonly string[]): string => {
  const isFailure = ({ level }: Message) => level !== 'note'
  const tests = [
    ...summaries.map(each => `<testcase classname="contract" ${name(each)}/>`),
    ...messages.map(message => {
      const { rule, text, at } = message
      const [first = '', ...more] = text.split('\n')
      const [tag, kind] = isFailure(message) ? ['failure', ` ${attribute('type', rule)}`] : ['system-out', '']
      const content = escaped([...more, `${at.file}:${at.line}:${at.column}`].join('\n'))
      return `<testcase ${attribute('classname', rule)} ${name(first)}><${tag}${kind}>${content}</${tag}></testcase>`
    })
  ]
  const counts = `tests="${tests.length}" failures="${messages.filter(isFailure).length}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `<testsuite name="contract" ${counts}>`,
    ...tests,
    '</testsuite>',
    '</testsuites>'
  ].join('\n')
}

// What XML 1.0 cannot have in any form (section 2.2), half a surrogate pair among it.
const unfit = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) =>
  text.replace(unfit, '\ufffd').replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
const attribute = (name: string, value: string) => `${name}="${escaped(value).replaceAll(/\s+/g, ' ')}"`
const name = (value: string) => attribute('name', value)
