import type { RouteDifference } from './route-comparison.ts'

/** A document that a service serves. */
export interface ServedDocument {
  /** Its path: `/openapi.yaml`. */
  path: string
  status: number
  bytes: Uint8Array
  /** The file that it must equal, byte for byte. */
  file: string
  fileBytes: Uint8Array
}

export const compareServed = (documents: readonly ServedDocument[]): RouteDifference[] =>
  documents.flatMap(({ path, status, bytes, file, fileBytes }) => {
    const route = `GET ${path}`
    if (status !== 200) return [{ route, message: `It responds with ${status}, not 200 with ${file}.` }]
    if (Buffer.compare(bytes, fileBytes) === 0) return []
    return [
      {
        route,
        message: `It differs from ${file}, from line ${firstOther(bytes, fileBytes)} on.`
      }
    ]
  })

const firstOther = (one: Uint8Array, other: Uint8Array): number => {
  const differs = one.findIndex((byte, index) => byte !== other[index])
  const same = one.subarray(0, differs === -1 ? one.length : differs)
  return same.filter(byte => byte === 10).length + 1
}
