// Reads the kinds of values that settings have: durations, URLs, a database's address. Each kind
// says what it expects, so that a wrong setting is reported in one sentence.
import { parseNetworks } from '@plazo/adapters/internal/http'

/** Milliseconds. */
const UNITS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** `path`: a file, or `:memory:`. */
export type DatabaseAddress =
  | { readonly type: 'sqlite'; readonly path: string }
  | { readonly type: 'postgres'; readonly url: string }

export type Setting<A> = {
  /** For a secret: describes the given value without showing it. */
  readonly redact?: (raw: string) => string
  /** Completes the sentence `<name> must be …`. */
  readonly expected: string
  /** Undefined: the value is not what is expected. */
  readonly read: (raw: string) => A | undefined
  /** Read in place of a setting that is missing. */
  readonly fallback: string
}

export const setting = <A>(
  fallback: string,
  expected: string,
  read: (raw: string) => A | undefined,
): Setting<A> => ({
  fallback,
  expected,
  read,
})

/** A setting that may be missing: null. */
export const optional = <A>(
  expected: string,
  read: (raw: string) => A | undefined,
): Setting<A | null> => setting('', expected, (raw) => (raw === '' ? null : read(raw)))

// Spaces at the ends of a password do not count. `operator` is the user of OPERATOR_PASSWORD.
const NAME_AND_PASSWORD = /^(?!operator:)([a-z0-9]{1,64}):(\s*\S.{10,}\S\s*)$/su

/** By name, the operator's password. */
export const operators: Setting<ReadonlyMap<string, string>> = {
  ...setting(
    '',
    'a list like ana:<password>,luis:<password>, each with a name of its own (up to 64 lower-case letters and digits, not operator) ' +
      'and a password of at least 12 characters without a comma',
    (raw) => {
      const entries = raw === '' ? [] : raw.split(',')
      const passwords = new Map<string, string>()
      for (const entry of entries) {
        const [, name, password] = NAME_AND_PASSWORD.exec(entry) ?? []
        if (name !== undefined && password !== undefined) passwords.set(name, password)
      }
      return passwords.size === entries.length ? passwords : undefined
    },
  ),
  redact: (raw) => `a list of ${raw.split(',').length} with an error`,
}

export const wholeNumber = (
  fallback: string,
  lowest: number,
  highest: number,
  expected = `a whole number from ${lowest} to ${highest}`,
): Setting<number> =>
  setting(fallback, expected, (raw) => {
    const number = /^\d+$/.test(raw) ? Number(raw) : Number.NaN
    return number >= lowest && number <= highest ? number : undefined
  })

// Milliseconds. Instants after the year 9999 cannot be written.
const DURATION_MAX = 36_500 * 86_400_000

export const duration = (fallback: string): Setting<number> =>
  setting(fallback, 'a duration like 60s, 5m, 24h or 90d, up to 36500d', (raw) => {
    const [, amount, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(raw) ?? []
    const millis = Number(amount) * (UNITS[unit] ?? Number.NaN)
    return millis > 0 && millis <= DURATION_MAX ? millis : undefined
  })

export const age = (fallback: string): Setting<number | null> =>
  setting(fallback, `${duration('').expected}, or forever`, (raw) =>
    raw === 'forever' ? null : duration('').read(raw),
  )

export const patternSetting = (
  fallback: string,
  expected: string,
  pattern: RegExp,
): Setting<string> => setting(fallback, expected, (raw) => (pattern.test(raw) ? raw : undefined))

// The URL parser would add missing slashes; other programs do not.
const parseHttpUrl = (raw: string): string | undefined =>
  URL.canParse(raw) && /^https?:\/\//i.test(raw) ? raw.replace(/\/+$/, '') : undefined

export const httpUrl = optional('an http or https URL', parseHttpUrl)

/** Paths are appended to it, so it has no query and no credentials. */
export const baseUrl = optional(
  'an http or https URL without credentials, query or fragment',
  (raw) => {
    const url = URL.parse(raw)
    const isBare = url?.username === '' && url.password === '' && !/[?#]/.test(raw)
    return isBare ? parseHttpUrl(raw) : undefined
  },
)

/**
 * Names of this machine itself. No network can make them lead to another one, or gives them to a
 * page of its own.
 */
export const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * URL of an operator's provider. Production accepts only https; other servers also accept http on the
 * loopback interface.
 */
export const providerUrl = optional(
  'an https URL without credentials, or an http one on the loopback interface',
  (raw) => {
    const url = URL.parse(raw)
    if (url === null || url.username !== '' || url.password !== '') return undefined
    const isSecure =
      url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_NAME.test(url.hostname))
    return isSecure ? raw : undefined
  },
)

/**
 * URL of the proxy for calls to merchants and providers. A bare percent sign in its password would
 * make each call fail.
 */
export const proxyUrl = optional(
  'an http URL like http://proxy.internal:3128, percent-encoded',
  (raw) => {
    const url = URL.parse(raw)
    const isBare = url?.pathname === '/' && !/[?#]|%(?![\da-f]{2})/i.test(raw)
    return url?.protocol === 'http:' && isBare ? raw : undefined
  },
)

const EXCEPTED_HOST = /^[\w.*:[\]-]+$/

/** The hosts that are called without the proxy. Other programs read the same setting. */
export const noProxy = setting(
  '',
  'a list of names, addresses and networks like internal.example,10.0.0.0/8, or *',
  (raw) => {
    const hosts = raw.split(/[,\s]+/).filter((host) => host !== '')
    return hosts.every((host) => EXCEPTED_HOST.test(host) || parseNetworks(host))
      ? hosts
      : undefined
  },
)

// SQLite would create a file with each of these names: a misspelt :memory:, a URL's slashes or
// parameters, SQLite's own URLs.
const INVALID_PATH = /^$|^:|^memory:?$|^\/\/(?!\/)|^file:|\?/i

export const parseDatabase = (raw: string): DatabaseAddress | undefined => {
  if (raw.startsWith('sqlite:')) {
    const path = raw.slice('sqlite:'.length)
    return path !== ':memory:' && INVALID_PATH.test(path) ? undefined : { type: 'sqlite', path }
  }
  const url = URL.parse(raw)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return undefined
  // The folder of a Unix socket is in the `host` parameter.
  const names = {
    host: url.hostname || url.searchParams.get('host'),
    database: url.pathname.slice(1),
  }
  return names.host && names.database ? { type: 'postgres', url: raw } : undefined
}

/** Removes anything that may be a password, even from a malformed URL. */
export const withoutPassword = (raw: string): string =>
  raw
    .replace(/(:?\/\/|:).*@/, '$1…@')
    .replace(/(\/\/[^/:?#[]*:)(?!\d*(?:[/?#]|$))[^/?#]*/, '$1…')
    .replace(/((?:password|key)=)[^&]*/gi, '$1…')
