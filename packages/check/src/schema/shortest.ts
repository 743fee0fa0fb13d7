import { getOrMake } from '@contract-first/document'
import { representatives } from './code-points.ts'
import type { Size } from './finder.ts'
import type { Found } from './found.ts'
import type { Language, Languages } from './language.ts'

/** The states after all texts of one length, each with the last step of one text. A state is what may follow. */
type Layer = Map<Language, { from: Language; codePoint: number } | undefined>

const maxSteps = 600_000
const maxMin = 5_000_000

/**
 * The shortest text of a language within these lengths in code points, preferably of readable characters; `unknown` if `make` exceeds
 * `limit` operands before it is found.
 */
export const shortest = (make: Languages, language: Language, { min, max }: Size, limit: number): Found<string> => {
  const successors = successorsIn(make)
  const layers: Layer[] = [new Map(make.alternatives(language).map(state => [state, undefined]))]
  const seen = new Set<Language>()
  let steps = 0
  while (layers.length <= max + 1) {
    const layer = layers.at(-1) as Layer
    if (layers.length > min)
      for (const state of layer.keys()) {
        if (state.hasEmpty) return { value: textTo(state, layers) }
        seen.add(state)
      }
    const next: Layer = new Map()
    for (const from of layer.keys())
      for (const [codePoint, state] of successors(from))
        if (!seen.has(state) && !next.has(state)) next.set(state, { from, codePoint })
    if (next.size === 0) return 'none'
    layers.push(next)
    steps += next.size
    if (steps > maxSteps || make.work > limit) return 'unknown'
    // The states repeat from here on, until the length is sufficient.
    if (next.size === layer.size && [...next.keys()].every(state => layer.has(state))) {
      if (min > maxMin) return 'unknown'
      while (layers.length <= min) layers.push(next)
    }
  }
  return 'none'
}

/** The states after one more character, with one character for each class that leads to the same state. */
const successorsIn = (make: Languages): ((state: Language) => [codePoint: number, state: Language][]) => {
  const alphabet = representatives(make.sets)
  const known = new Map<Language, [number, Language][]>()
  return state =>
    getOrMake(known, state, () =>
      alphabet.flatMap(codePoint =>
        make.alternatives(make.derivative(state, codePoint)).map((next): [number, Language] => [codePoint, next])
      )
    )
}

const textTo = (state: Language, layers: readonly Layer[]): string => {
  const characters: string[] = []
  let step = layers.at(-1)?.get(state)
  for (let length = layers.length - 1; step; step = layers[--length]?.get(step.from))
    characters.push(String.fromCodePoint(step.codePoint))
  return characters.reverse().join('')
}
