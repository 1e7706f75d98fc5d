// Searches the bytes of files for a value that must not be there, as it is and in every encoding that programs use.
import { existsSync, readFileSync } from 'node:fs'

const base64Alignments = (bytes: Buffer): readonly string[] =>
  // Base64 encodes groups of three bytes, so a value has three alignments. The edges are left out: they depend on the
  // neighbours.
  [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === (3 - shift) % 3 ? undefined : -1)
  })

/** The value itself, URL-encoded in two ways, JSON-escaped, in base64, hex and UTF-16. */
export const encodingsOf = (value: string): readonly Buffer[] => {
  const bytes = Buffer.from(value)
  const escaped = JSON.stringify(value)
    .slice(1, -1)
    .replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const texts = [
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    escaped,
    ...base64Alignments(bytes),
    ...base64Alignments(bytes).map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
  return [bytes, Buffer.from(value, 'utf16le'), ...texts.map((text) => Buffer.from(text))]
}

/** The values that the bytes contain in any form. */
export const tracesIn = (bytes: Buffer, values: readonly string[]): readonly string[] =>
  values.filter((value) => encodingsOf(value).some((form) => bytes.includes(form)))

/** The database and its write-ahead log, as they are on the disk. */
export const rawBytes = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each)))
