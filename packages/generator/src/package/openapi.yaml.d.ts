/** The contract as written. What an import of it gives depends on the bundler. */
declare const contract: unknown
export = contract
