import { readFileSync } from 'node:fs'
import { randomNumbers } from '../../packages/check/src/samples/random.ts'
import { compiledSchemas } from '../../packages/fastify/src/contract/compiled-schemas.ts'
import { parseJson } from '../../packages/fastify/src/node/json.ts'
import { validatorCompiler } from '../../packages/fastify/src/validation/validator-compiler.ts'
import { contract } from '../../src/contract.ts'
import type { NewPet } from '../../src/store/pets.ts'

/** Beyond 2^53, so that clients whose JSON parser rounds it find out here. */
export const largeCategoryId = 9007199254740993n
/** The id of the first animal in such a category: not on the first pages, so that a first try succeeds. */
export const firstLargeId = 501

/** `share` is the percentage of all animals. */
const kinds = [
  {
    // Dogs; this category and the next are those of the contract's examples.
    categoryId: 7n,
    share: 36,
    names:
      'Balu Bella Bruno Buddy Charlie Cooper Daisy Emma Finn Frieda Hugo Jack Lola Luna Max Milo Nala Oskar Rex Rocky Ruby Sammy Toby Zoë'
  },
  {
    // Cats
    categoryId: 8n,
    share: 32,
    names:
      'Amy Cleo Coco Felix Garfield Ginger Kitty Leo Lilly Loki Luna Mia Mimi Minka Misty Moritz Oreo Oscar Simba Smokey Tiger Tom Мурка たま'
  },
  // Rabbits
  {
    categoryId: 9n,
    share: 11,
    names: 'Bunny Clover Daisy Flöckchen Hazel Hoppel Klopfer Oreo Peanut Schnuffel Snowball Thumper'
  },
  // Birds
  { categoryId: 10n, share: 9, names: 'Bibi Charlie Coco Hansi Kiwi Mango Paco Pepe Polly Rio Sky Tweety' },
  // Fish
  { categoryId: 11n, share: 6, names: 'Bubbles Dory Finley Goldie Nemo Neptune Sushi Wanda' },
  // Tortoises
  { categoryId: largeCategoryId, share: 4, names: 'Caesar Emmy Flash Herkules Methusalem Schildi Speedy Tank Turbo' },
  // Snakes, in the largest possible category
  { categoryId: 2n ** 63n - 1n, share: 2, names: 'Kaa Medusa Monty Nagini Noodle Slinky' }
].map(kind => ({ ...kind, names: kind.names.split(' ') }))

/** Each kind as often as its share. */
const hundred = kinds.flatMap(kind => Array<typeof kind>(kind.share).fill(kind))
const small = hundred.filter(({ categoryId }) => categoryId < largeCategoryId)

const validate = validatorCompiler(compiledSchemas(contract))({ schema: contract.operations.createPet.input.body })

/** The animal as validated when a client sends it, with the contract's defaults. */
const asSent = (body: object): NewPet => validate(body).value as NewPet

/** The contract's examples. */
const first = (): NewPet[] => {
  const document = parseJson(readFileSync(new URL('../../generated/openapi.json', import.meta.url))) as {
    components: { examples: { Page: { value: { id: unknown }[] } } }
  }
  return document.components.examples.Page.value.map(({ id: _, ...animal }) => asSent(animal))
}

/** The animals of the demo, the same at every start; more of the older ones are sold. */
export const animals = (count = 3000): NewPet[] => {
  const random = randomNumbers(20261120)
  const among = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const animal = (id: number): NewPet => {
    const age = 1 - (id - 1) / count
    const { categoryId, names } = among(id < firstLargeId ? small : hundred)
    const chance = random()
    const sold = 0.15 + 0.75 * age
    const status = chance < sold ? 'sold' : chance < sold + 0.08 ? 'pending' : 'available'
    return asSent({ name: among(names), categoryId, status })
  }
  const shown = first()
  const large = asSent({ name: 'Methusalem', categoryId: largeCategoryId })
  return Array.from({ length: count }, (_, index) =>
    index + 1 === firstLargeId ? large : (shown[index] ?? animal(index + 1))
  )
}
