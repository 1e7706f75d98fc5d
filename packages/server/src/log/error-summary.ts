// Reduces a thrown error to what may be logged: its class, its code and where in our own code it came from. It never logs the
// message, which may hold what somebody typed.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCodeOf } from '@plazo/adapters/system'

export type ErrorSummary = {
  readonly error: string
  readonly code: string | undefined
  /** File and line, innermost first. */
  readonly place: string | undefined
}

export const summarizeError = (cause: unknown): ErrorSummary => ({
  error: errorClass(cause),
  code: errorCode(cause),
  place: sourceLines(cause),
})

const CLASSES: ReadonlySet<string> = new Set([
  'AbortError',
  'AggregateError',
  'AssertionError',
  'DOMException',
  'DatabaseError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SqliteError',
  'SyntaxError',
  'SystemError',
  'TimeoutError',
  'TypeError',
  'URIError',
])

const CODE = /^(?:ERR|HPE|SQLITE)_[A-Z0-9_]{1,40}$/

const errorClass = (cause: unknown): string => {
  if (!(cause instanceof Error)) return 'not an Error'
  return [cause.name, cause.constructor.name].find((name) => CLASSES.has(name)) ?? 'Error'
}

const errorCode = (cause: unknown): string | undefined => {
  const code = errorCodeOf(cause)
  return code in constants.errno || CODE.test(code) ? code : undefined
}

// The folder of each package, wherever it is installed: packages need not be next to each other.
const { resolve } = createRequire(import.meta.url)
const PACKAGES = [
  { name: 'server', folder: fileURLToPath(new URL('../../', import.meta.url)) },
  { name: 'adapters', folder: join(resolve('@plazo/adapters/system'), '../../..', sep) },
  { name: 'core', folder: join(resolve('@plazo/core'), '../..', sep) },
]
const FRAME = /^ {4}at (?:[^\n]* \()?(?:file:\/\/)?([^\n()]+):(\d+):\d+\)?$/gm
const SOURCE_LINES_MAX = 3

// A message may imitate a frame of the stack: only a file that exists can be part of plazo.
const ownFile = (file: string): readonly string[] =>
  file !== normalize(file) || !/\.[jt]s$/.test(file) || !existsSync(file)
    ? []
    : PACKAGES.filter(({ folder }) => file.startsWith(folder)).map(
        ({ name, folder }) => `${name}/${relative(folder, file)}`,
      )

const sourceLines = (cause: unknown): string | undefined => {
  const stack = cause instanceof Error && typeof cause.stack === 'string' ? cause.stack : ''
  const places = [...stack.matchAll(FRAME)]
    .flatMap(([, file = '', line]) => ownFile(file).map((name) => `${name}:${line}`))
    .slice(0, SOURCE_LINES_MAX)
  return places.length === 0 ? undefined : places.join(' < ')
}
