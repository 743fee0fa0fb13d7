import type { Block, Item, Line } from './blocks.ts'

/** A page in one file, which loads nothing. */
export const htmlOf = (title: string, blocks: readonly Block[]): string => {
  // The headings begin below the title, whatever comes first.
  const top = Math.min(...blocks.map(each => ('heading' in each ? each.level : 4)))
  const linked = blocks.flatMap(each => ('heading' in each && each.level <= top + 1 ? [each] : []))
  const links = linked.map(({ heading }, index) => `<li><a href="#part-${index}">${lineOf(heading)}</a></li>`)
  const blockOf = (block: Block): string => {
    if ('list' in block) return listOf(block.list)
    if ('paragraph' in block) return `<p>${lineOf(block.paragraph)}</p>`
    const [tag, index] = [`h${block.level - top + 2}`, linked.indexOf(block)]
    return `<${tag}${index === -1 ? '' : ` id="part-${index}"`}>${lineOf(block.heading)}</${tag}>`
  }
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    // No text of a contract could run a script or load anything, even if its escaping failed.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    `<header><h1>${escaped(title)}</h1></header>`,
    ...(links.length < 2 ? [] : ['<nav aria-label="Contents"><ul>', ...links, '</ul></nav>']),
    '<main>',
    ...blocks.map(blockOf),
    '</main>',
    '</body>',
    '</html>'
  ].join('\n')
}

const listOf = (items: readonly Item[]): string => `<ul>\n${items.map(itemOf).join('\n')}\n</ul>`

const itemOf = ({ lines, code = [], items = [] }: Item): string =>
  [
    `<li>${lines.map(lineOf).join('<br>')}`,
    ...code.map(
      ({ text, language }) => `<pre><code>${language === 'diff' ? diffOf(text) : escaped(text)}</code></pre>`
    ),
    ...(items.length === 0 ? [] : [listOf(items)]),
    '</li>'
  ].join('\n')

/** Each line that was removed or added is marked. */
const diffOf = (text: string): string =>
  escaped(text)
    .replaceAll(/^-.*$/gm, '<del>$&</del>')
    .replaceAll(/^\+.*$/gm, '<ins>$&</ins>')

const lineOf = (line: Line): string =>
  line
    .map(each => {
      if (typeof each === 'string') return escaped(each)
      return 'code' in each ? `<code>${escaped(each.code)}</code>` : `<strong>${escaped(each.bold)}</strong>`
    })
    .join('')

// What HTML cannot have in any form, half a surrogate pair among it.
const unfit = /[^\t\n\r\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{e000}-\u{fdcf}\u{fdf0}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) =>
  text.replace(unfit, '\ufffd').replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

const style = `
:root { color-scheme: light dark; --text: #1b1f24; --back: #fff; --code: #eef0f3; --line: #c9ced6; --link: #0a4fb5; --del: #8f1d1d; --ins: #0f5a2a }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7eb; --back: #15181c; --code: #262b32; --line: #444b55; --link: #8fbcff; --del: #ffa8a0; --ins: #8fe0a8 } }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; color: var(--text); background: var(--back); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--link) }
h2, h3 { border-bottom: 1px solid var(--line); line-height: 1.25 }
ul { padding-left: 1.25rem }
li { margin: 0.375rem 0 }
code { padding: 0 0.25rem; border-radius: 0.25rem; background: var(--code); font: 0.875rem/1.5 ui-monospace, monospace; unicode-bidi: isolate }
pre { margin: 0.375rem 0; padding: 0.5rem; border-radius: 0.25rem; background: var(--code); white-space: pre-wrap }
pre code { padding: 0 }
del, ins { text-decoration: none }
del { color: var(--del) }
ins { color: var(--ins) }
nav li { margin: 0 }
nav a { display: inline-block; min-height: 1.5rem }
`
