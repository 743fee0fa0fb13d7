// Copied from @contract-first/generator/package/openapi.yaml.d.ts by `npm run generate`: do not edit it.

/** The contract as written. What an import of it gives depends on the bundler. */
declare const contract: unknown
export = contract
