/** A generated file is invalid: a bug in the generator, not in the contract. */
export class EmittedError extends Error {
  override readonly name = 'EmittedError'

  constructor(place: string, message: string, code: string) {
    super(`${place}: ${message}: ${code.trim().slice(0, 200)}
This is a mistake of the generator, not of the contract. Nothing has been generated; please report it, with the contract.`)
  }
}
