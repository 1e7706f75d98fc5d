// Searches a text for a value in every form that a log could give it: encoded, escaped, split into words, in capitals.
import { existsSync, readFileSync } from 'node:fs'

const PADS = [0, 1, 2]

/** The middle of a value's base64, which is independent of the bytes before and after the value. */
const base64Middles = (value: string): readonly string[] =>
  PADS.map((pad) => {
    const bytes = Buffer.concat([Buffer.alloc(pad), Buffer.from(value)])
    const whole = Math.floor((bytes.length * 8) / 6)
    return bytes.toString('base64').slice(Math.ceil((pad * 8) / 6), whole)
  })

const url = (value: string): string => encodeURIComponent(value)
const form = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1)
const json = (value: string): string => JSON.stringify(value).slice(1, -1)
const ascii = (value: string): string =>
  value.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** All forms, compared case-insensitively. */
const formsOf = (value: string): readonly string[] => [
  ...new Set(
    [
      value,
      value.normalize('NFD'),
      url(value),
      form(value),
      url(url(value)),
      json(value),
      json(json(value)),
      ascii(value),
      json(ascii(value)),
      Buffer.from(value).toString('hex'),
    ].map((each) => each.toLowerCase()),
  ),
]

// Long enough that no time, process id or uuid contains it by chance.
const SEARCHABLE = 8

const lettersOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The values that left a trace, each with its form. */
export const tracesOf = (values: readonly string[], text: string): readonly string[] => {
  const lower = text.toLowerCase()
  const letters = lettersOf(text)
  return values.flatMap((value) => [
    ...formsOf(value)
      .filter((each) => lower.includes(each))
      .map((each) => `${value} as ${each}`),
    ...base64Middles(value)
      .flatMap((middle) => [middle, middle.replaceAll('+', '-').replaceAll('/', '_')])
      .filter((middle) => middle.length >= SEARCHABLE - 2 && text.includes(middle))
      .map((middle) => `${value} as ${middle}`),
    ...(lettersOf(value).length >= SEARCHABLE && letters.includes(lettersOf(value)) ? [`${value} in pieces`] : []),
  ])
}

/** For values that are too short to search for anywhere: such a value must be alone in the texts of a log line. */
export const shortTracesOf = (values: readonly string[], text: string): readonly string[] => {
  const texts = text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [line]
    const { hostname: _, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
    return Object.values(rest).filter((value) => typeof value === 'string')
  })
  return values.filter((value) =>
    texts.some((each) =>
      new RegExp(`(?<![0-9A-Za-z-])${value.replace(/[^\w]/g, '\\$&')}(?![0-9A-Za-z-])`, 'i').test(each),
    ),
  )
}

const base64Alignments = (bytes: Buffer): readonly string[] =>
  // Base64 encodes groups of three bytes, so a value has three alignments. The edges are left out: they depend on the
  // neighbours.
  [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === (3 - shift) % 3 ? undefined : -1)
  })

/**
 * Searches the bytes of files for a value that must not be there, as it is and in every encoding that programs use. The value
 * itself, URL-encoded in two ways, JSON-escaped, in base64, hex and UTF-16.
 */
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
