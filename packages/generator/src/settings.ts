import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, LoadError } from '@contract-first/document'

/** What `generator` in a project's package.json contains. Paths are relative to the project's folder. */
export interface Settings {
  /** The contract: the file that all others are referred to from. */
  contract: string
  /** The name of the package for clients, which is `generated/` itself; default: made from the contract's title. */
  client?: string
  /** The README of that package; default: a short one. */
  clientReadme?: string
  /** Operations that are not supported respond with 501, instead of stopping the generator. */
  skipRefused?: boolean
  /** `generated/examples.js` has handlers that return the contract's examples. */
  examples?: boolean
  /** Clients have each date, with or without a time, as a `Date`. */
  dates?: boolean
  /** `generated/enums.ts` has an object for each schema that lists values. */
  enums?: boolean
}

const types: Readonly<Record<keyof Settings, 'string' | 'boolean'>> = {
  contract: 'string',
  client: 'string',
  clientReadme: 'string',
  skipRefused: 'boolean',
  examples: 'boolean',
  dates: 'boolean',
  enums: 'boolean'
}

/**
 * The settings of the project in a folder.
 * @throws LoadError if they are missing or invalid
 */
export const readSettings = (folder: string): Settings => {
  const file = join(folder, 'package.json')
  const settings = generatorIn(file)
  if (!isObject(settings))
    throw new LoadError([
      `${file}: "generator" is missing; expected: "generator": { "contract": "openapi/openapi.yaml" }`
    ])
  const faults = Object.entries(settings).flatMap(([name, value]) => {
    const type = Object.hasOwn(types, name) ? types[name as keyof Settings] : undefined
    if (type === undefined) return [`generator.${name} is unknown; the settings are ${Object.keys(types).join(', ')}`]
    return typeof value === type ? [] : [`generator.${name} must be a ${type}`]
  })
  if (!('contract' in settings)) faults.push('generator.contract is missing: the path of the OpenAPI document')
  if (faults.length > 0) throw new LoadError(faults.map(fault => `${file}: ${fault}`))
  return settings as unknown as Settings
}

const generatorIn = (file: string): Json | undefined => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new LoadError([`${file}: there is no such file; the generator runs in the folder of a project`])
  }
  try {
    return (JSON.parse(text) as { generator?: Json }).generator
  } catch (error) {
    throw new LoadError([`${file}: ${(error as Error).message}`])
  }
}
