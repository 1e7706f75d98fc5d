// Searches a text for a value in every form that a log could give it: encoded, escaped, split into
// words, in capitals.
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

/** All forms but base64, compared case-insensitively. */
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

/** The forms of the value that the text contains. */
const formsIn = (text: string): ((value: string) => readonly string[]) => {
  const lower = text.toLowerCase()
  return (value) => [
    ...formsOf(value).filter((each) => lower.includes(each)),
    ...base64Middles(value)
      .flatMap((middle) => [middle, middle.replaceAll('+', '-').replaceAll('/', '_')])
      .filter((middle) => middle.length >= SEARCHABLE - 2 && text.includes(middle)),
  ]
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The values that left a trace in a log, each with its form. */
export const tracesOf = (values: readonly string[], text: string): readonly string[] => {
  const findForms = formsIn(text)
  const letters = lettersOf(text)
  return values.flatMap((value) => [
    ...findForms(value).map((each) => `${value} as ${each}`),
    ...(lettersOf(value).length >= SEARCHABLE && letters.includes(lettersOf(value))
      ? [`${value} in pieces`]
      : []),
  ])
}

/** The values that the bytes of a file contain in any form. */
export const tracesIn = (bytes: Buffer, values: readonly string[]): readonly string[] => {
  const findForms = formsIn(bytes.toString())
  return values.filter(
    (value) => findForms(value).length > 0 || bytes.includes(Buffer.from(value, 'utf16le')),
  )
}

/**
 * For values that are too short to search for anywhere: such a value must be alone in the texts of
 * a log line.
 */
export const shortTracesOf = (values: readonly string[], text: string): readonly string[] => {
  const texts = text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [line]
    const { hostname: _, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
    return Object.values(rest).filter((value) => typeof value === 'string')
  })
  return values.filter((value) =>
    texts.some((each) =>
      new RegExp(`(?<![0-9A-Za-z-])${value.replace(/[^\w]/g, '\\$&')}(?![0-9A-Za-z-])`, 'i').test(
        each,
      ),
    ),
  )
}

/** The database and its write-ahead log, as they are on the disk. */
export const rawBytes = (file: string): Buffer =>
  Buffer.concat(
    [file, `${file}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each)),
  )
