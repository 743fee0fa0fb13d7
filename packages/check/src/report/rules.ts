import { rules } from '../changes/rules.ts'

/** The catalogue: what each rule finds, why it matters, and a minimal example. */
export const rulesText = (): string => rules.map(ruleText).join('\n\n')

const ruleText = ({ id, title, level, category, why, example }: (typeof rules)[number]): string => {
  const { in: where, before, after, strict, today } = example
  const terms = [`in: ${where}`, ...(strict ? ['--strict'] : []), ...(today === undefined ? [] : [`--today ${today}`])]
  return [
    `${id} (${level}, ${category})`,
    `  ${title}. ${why}`,
    `  ${terms.join(' ')}`,
    ...side('-', before),
    ...side('+', after)
  ].join('\n')
}

const side = (sign: string, yaml: string) => yaml.split('\n').map(line => `  ${sign} ${line}`.trimEnd())
