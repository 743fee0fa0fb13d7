import type { Schema } from '../contract/contract.ts'
import { shown } from '../contract/violations.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { decoded, type Pair } from '../routing/pairs.ts'
import { unreadable } from './styles.ts'
import { anyPropertyOf, converterOf, itemConverterOf, itemsOf, mayBe, setOwn, textJudge } from './texts.ts'

// The style `deepObject`: `filter[size][gte]=3`. OpenAPI defines it for flat objects only; beyond that, the usual form is
// read: `a[b][c]` for objects within, `a[]` or `a[0]`, `a[1]`, … for lists.

interface Node {
  texts: string[]
  readonly children: Map<string, Node>
}

// Checked before anything is built, since each key may create an object.
const mostLevels = 20
const mostKeys = 3_000

/** Reads pairs whose names begin with `[`. */
export const deepReader =
  (schema: Schema, what: (name: string) => string) =>
  (name: string, pairs: readonly Pair[], violations: string[]): unknown => {
    const refuse = (violation: string) => {
      violations.push(violation)
      return unreadable
    }
    const levels = pairs.map(([path]) => path.split('[').length - 1)
    if (levels.some(each => each > mostLevels)) return refuse(`${what(name)} has more than ${mostLevels} levels`)
    const keys = levels.reduce((sum, each) => sum + each, 0)
    if (keys > mostKeys) return refuse(`${what(name)} has ${keys} keys in brackets; at most ${mostKeys} are read`)
    const root = newNode()
    const before = violations.length
    for (const [path, raw] of pairs) {
      const text = decoded(raw)
      if (!/^(?:\[[^[\]]*\])+$/.test(path))
        violations.push(`${what(shown(name + path))} must have its keys in brackets: ${name}[key]`)
      else if (text === undefined) violations.push(`${what(shown(name + path))} cannot be percent-decoded to UTF-8`)
      else {
        let node = root
        for (const key of path.slice(1, -1).split('][')) node = getOrMake(node.children, key, newNode)
        node.texts.push(text)
      }
    }
    return violations.length > before ? unreadable : valueIn(root, schema, what(name), violations)
  }

const newNode = (): Node => ({ texts: [], children: new Map() })

const valueIn = (node: Node, schema: Schema, what: string, violations: string[]): unknown => {
  const { texts, children } = node
  if (children.size === 0) {
    const isArray = mayBe(schema, 'array')
    const [text = ''] = texts
    // A single text becomes a list of one only where it cannot be a value by itself.
    if (texts.length === 1 && (!isArray || textJudge(schema)(text))) return converterOf(schema)(text)
    if (isArray) return texts.map(itemConverterOf(schema))
    violations.push(`${what} occurs more than once`)
    return unreadable
  }
  if (texts.length > 0) {
    violations.push(`${what} occurs both as a value and with keys in brackets`)
    return unreadable
  }
  if (mayBe(schema, 'array') && [...children.keys()].every(key => /^(?:|0|[1-9]\d*)$/.test(key)))
    return listOf(children, schema, what, violations)
  const value = {}
  for (const [key, child] of children) {
    const each = valueIn(child, anyPropertyOf(schema, key), `${what}[${key}]`, violations)
    if (each !== unreadable) setOwn(value, key, each)
  }
  return value
}

const listOf = (children: ReadonlyMap<string, Node>, schema: Schema, what: string, violations: string[]): unknown => {
  const unnumbered = children.get('')
  if (unnumbered !== undefined) {
    if (children.size === 1 && unnumbered.children.size === 0) return unnumbered.texts.map(itemConverterOf(schema))
    // Which keys belong to one item could only be guessed.
    violations.push(`${what} must number its items: ${what.split(' ').at(-1)}[0]`)
    return unreadable
  }
  const list: unknown[] = []
  for (let index = 0; index < children.size; index++) {
    const child = children.get(String(index))
    if (child === undefined) {
      violations.push(`${what} must number its items from 0 without gaps; there is no ${index}`)
      return unreadable
    }
    list.push(valueIn(child, itemsOf(schema, index), `${what}[${index}]`, violations))
  }
  return list.includes(unreadable) ? unreadable : list
}
