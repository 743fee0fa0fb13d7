import type { NewPet } from '../../src/store/pets.ts'

/** Beyond 2^53, so that whoever reads JSON with rounding numbers finds out here. */
export const largeCategoryId = 9007199254740993n

/** With their shares of all animals in percent. */
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
  // Snakes, in the last category that there can be
  { categoryId: 2n ** 63n - 1n, share: 2, names: 'Kaa Medusa Monty Nagini Noodle Slinky' }
].map(kind => ({ ...kind, names: kind.names.split(' ') }))

/** Each as often as its share. */
const hundred = kinds.flatMap(kind => Array<typeof kind>(kind.share).fill(kind))

const first: NewPet[] = [
  { name: 'Rex', categoryId: 7n, status: 'available' },
  { name: 'Mia', categoryId: 8n, status: 'sold' },
  { name: 'Methusalem', categoryId: largeCategoryId, status: 'available' }
]

/** The animals of the demo, the same ones at every start; of those that have been there for long most are sold. */
export const animals = (count = 3000): NewPet[] => {
  const random = randomNumbers()
  const among = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const animal = (age: number): NewPet => {
    const { categoryId, names } = among(hundred)
    const chance = random()
    const sold = 0.15 + 0.75 * age
    return {
      name: among(names),
      categoryId,
      status: chance < sold ? 'sold' : chance < sold + 0.08 ? 'pending' : 'available'
    }
  }
  return Array.from({ length: count }, (_, index) => first[index] ?? animal(1 - index / count))
}

/** From 0 to 1, the same ones each time (mulberry32). */
const randomNumbers = () => {
  let state = 20261120
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
