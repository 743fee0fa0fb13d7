import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** Bytes of which clients may ask for a part. */
export interface DownloadSource {
  /** In bytes. */
  size: number
  /** As HTTP writes it, `"abc"` or `W/"abc"`; it changes whenever the bytes do. */
  etag?: string
  lastModified?: Date
  /** The bytes from `start` to `end`, both included. Called only when they are sent, so neither for HEAD nor for no bytes. */
  read(start: number, end: number): Readable | AsyncIterable<string | Uint8Array>
}

/** A response whose bytes come from a source, by `download`. */
export class Download {
  readonly source: DownloadSource

  constructor(source: DownloadSource) {
    this.source = source
  }
}

/**
 * A body of known size, for a result with status 200. Where the contract declares 206 with the same media types, the client may
 * ask for a single range of it (RFC 9110, section 14); where it declares 416 or 304, these are sent as well. A source that gives
 * more or fewer bytes than it should breaks off the response.
 * @throws TypeError if `etag` is not written as HTTP does
 */
export const download = (source: DownloadSource): Download => {
  if (source.etag !== undefined && !/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(source.etag))
    throw new TypeError(`an ETag is written "abc" or W/"abc", not ${source.etag}`)
  return new Download(source)
}

/**
 * The same for a file. Its size and the time of its last change make the ETag; if it is replaced before it is read, the response
 * is broken off.
 * @throws Error of the file system, with `code: 'ENOENT'` if there is no such file, or `'EISDIR'` if it is not a file
 */
export const downloadFile = async (path: string | URL): Promise<Download> => {
  const { size, mtime, etag } = await stateOf(path)
  async function* read(start: number, end: number) {
    const file = await open(path)
    try {
      if ((await stateOf(file)).etag !== etag) throw new Error(`${path} has been replaced since its download began`)
      yield* file.createReadStream({ start, end, autoClose: false })
    } finally {
      await file.close()
    }
  }
  return download({ size, etag, lastModified: mtime, read })
}

const stateOf = async (file: string | URL | Awaited<ReturnType<typeof open>>) => {
  const options = { bigint: true } as const
  const state = await (typeof file === 'string' || file instanceof URL ? stat(file, options) : file.stat(options))
  if (!state.isFile()) throw Object.assign(new Error(`${file} is not a file`), { code: 'EISDIR' })
  const { size, mtime, mtimeNs, ino } = state
  return { size: Number(size), mtime, etag: `"${[size, mtimeNs, ino].map(each => each.toString(36)).join('-')}"` }
}
