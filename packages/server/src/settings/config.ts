// Reads the settings from the environment with codecs, and reports every wrong one on its own line. Says what follows from them:
// the URLs that are handed out, and the terms of every order. Contract §7.
import { parseKeyring } from '@plazo/adapters/encryption'
import { type OutboundProxy, parseNetworks, parseWebhookAllow } from '@plazo/adapters/internal/http'
import {
  type HostProviders,
  ipnParameterNames,
  type Links,
  PROVIDER_PORTS,
  type ProviderPort,
  SERVICE_RULE,
  type Terms,
  wireNames,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { LEGAL_SETTINGS, readLegal } from './legal-settings.ts'
import {
  age,
  baseUrl,
  type DatabaseAddress,
  duration,
  httpUrl,
  noProxy,
  operators,
  optional,
  parseDatabase,
  patternSetting,
  providerUrl,
  proxyUrl,
  type Setting,
  setting,
  wholeNumber,
  withoutPassword,
} from './parse-settings.ts'
import { type Mode, policyOf } from './policy.ts'

/** All settings, read and checked by `readConfig`. docs/operations.md explains each. */
export type Config = Readonly<ReturnType<typeof toConfig>> & {
  readonly legal: ReturnType<typeof readLegal>
}

/** The setting with the URL of each port's provider. */
export const PROVIDER_SETTINGS = {
  screening: 'SCREENING_URL',
  sms: 'SMS_URL',
  identity: 'IDENTITY_URL',
  payment: 'PAYMENT_URL',
  risk: 'RISK_URL',
} as const satisfies { readonly [port in ProviderPort]: string }

/** The member of the providers that answers the port. */
export const memberOf = (port: ProviderPort) => (port === 'payment' ? 'payments' : port)

/** True if the host answers the port itself, so that it needs no URL. */
export const answersPort = (providers: Partial<HostProviders>, port: ProviderPort): boolean =>
  providers[memberOf(port)] !== undefined

/** The user whose password is OPERATOR_PASSWORD. */
export const OPERATOR = 'operator'

export const SANDBOX_OPERATOR_PASSWORD = 'operator'

const OPERATOR_PASSWORD_LENGTH_MIN = 6

const isGuessable = (operatorPassword: string): boolean => {
  const trimmed = operatorPassword.trim()
  return (
    trimmed.length < OPERATOR_PASSWORD_LENGTH_MIN ||
    trimmed.toLowerCase() === SANDBOX_OPERATOR_PASSWORD
  )
}

/** The settings as text, by name, such as `process.env`. docs/operations.md lists the names. */
export type Environment = Readonly<Record<string, string | undefined>>

// A SQLite file has its key next to it. A database that many servers share has no such place.
const KEY_REQUIRED =
  'SECRET_KEY is not set. A PostgreSQL database requires it, in a sandbox too. Generate one with `openssl rand -base64 32`, ' +
  'and give it to every server and command on this database.'

const OTHER_IPN_PARAMETERS = ipnParameterNames('').filter((name) => name !== '')

const SETTINGS = {
  PORT: wholeNumber('3000', 0, 65_535, 'a port from 0 to 65535, where 0 picks a free one'),
  HOST: patternSetting('127.0.0.1', 'an address or host name to listen on', /^[\w.:-]+$/),
  BASE_URL: baseUrl,
  PRIVACY_POLICY_URL: httpUrl,
  DATABASE_URL: setting(
    'sqlite:./data/plazo.db',
    'sqlite:<path> of a file, without // or ?, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<database>',
    parseDatabase,
  ),
  MODE: setting<Mode>('sandbox', 'sandbox or production', (raw) =>
    raw === 'sandbox' || raw === 'production' ? raw : undefined,
  ),
  SECRET_KEY: {
    ...optional('[id:]base64 of 32 bytes, comma-separated, with the encrypting key first', (raw) =>
      E.getOrElseW(() => undefined)(parseKeyring(raw)),
    ),
    redact: (raw: string) =>
      E.match(
        (invalid) => `a list with an error: ${invalid}`,
        () => 'right',
      )(parseKeyring(raw)),
  },
  SERVICE_NAME: setting('Service', SERVICE_RULE.expected, (raw) =>
    SERVICE_RULE.accepts(raw) ? raw : undefined,
  ),
  IPN_STATE_PARAMETER: setting(
    'sq_state',
    `a parameter name of letters, digits and _, none of ${OTHER_IPN_PARAMETERS.join(', ')}`,
    (raw) => (/^\w+$/.test(raw) && !OTHER_IPN_PARAMETERS.includes(raw) ? raw : undefined),
  ),
  OPERATOR_PASSWORD: setting(SANDBOX_OPERATOR_PASSWORD, 'a password', (raw) => raw),
  OPERATORS: operators,
  SCREENING_URL: providerUrl,
  SMS_URL: providerUrl,
  IDENTITY_URL: providerUrl,
  PAYMENT_URL: providerUrl,
  RISK_URL: providerUrl,
  SCREENING_WINDOW: duration('60s'),
  OTP_LIFETIME: duration('5m'),
  CHECKOUT_LIFETIME: duration('24h'),
  WEBHOOK_CONCURRENCY: wholeNumber('64', 1, 10_000),
  WEBHOOK_PER_MERCHANT: wholeNumber('4', 1, 10_000),
  WEBHOOK_ALLOW: setting(
    '',
    'a list of CIDR:port like 10.0.0.0/8:443,[fd00::/8]:8443',
    parseWebhookAllow,
  ),
  OUTBOUND_PROXY: proxyUrl,
  NO_PROXY: noProxy,
  TRUSTED_PROXIES: setting(
    '',
    'a list of networks like 10.0.0.0/8,fd00::/8, none wider than /8 or, of IPv6, /7: clients in it may claim any address',
    (raw) => (raw.split(',').some(isTooWide) ? undefined : parseNetworks(raw)),
  ),
  RETAIN_DELIVERIES: age('90d'),
  LOG_LEVEL: patternSetting(
    'info',
    'fatal, error, warn, info, debug, trace or silent',
    /^(fatal|error|warn|info|debug|trace|silent)$/,
  ),
}

/** Private networks are at most so wide. */
const isTooWide = (network: string): boolean => {
  const [address = '', prefix = '128'] = network.trim().split('/')
  return Number(prefix) < (address.includes(':') ? 7 : 8)
}

type Settings = {
  readonly [name in keyof typeof SETTINGS]: (typeof SETTINGS)[name] extends Setting<infer A>
    ? A
    : never
}

// Settings that production requires explicitly.
const requiredInProduction = (
  providers: Partial<HostProviders>,
  { OPERATORS, OPERATOR_PASSWORD }: Environment,
): readonly (keyof Settings)[] => [
  'SECRET_KEY',
  ...(OPERATORS && !OPERATOR_PASSWORD ? [] : (['OPERATOR_PASSWORD'] as const)),
  ...PROVIDER_PORTS.filter((port) => !answersPort(providers, port)).map(
    (port) => PROVIDER_SETTINGS[port],
  ),
]

const OPERATOR_PASSWORD_GUESSABLE =
  `OPERATOR_PASSWORD is the sandbox's, or has fewer than ${OPERATOR_PASSWORD_LENGTH_MIN} characters, so anybody could sign in to ` +
  'the console. MODE=production requires another one. Generate one with `openssl rand -base64 18`.'

const quote = (raw: string): string => JSON.stringify(withoutPassword(raw))

/** What is wrong with a setting in production only; undefined if nothing is. */
const productionLine = (name: string, raw: string, isWrong: boolean): string | undefined => {
  const required = name === 'OPERATOR_PASSWORD' ? 'it or OPERATORS' : 'it'
  if (raw === '')
    return `${name} is not set. MODE=production requires ${required}, and does not use the sandbox's default.`
  if (name === 'OPERATOR_PASSWORD' && isGuessable(raw)) return OPERATOR_PASSWORD_GUESSABLE
  if (name.endsWith('_URL') && (isWrong || !/^https:/i.test(raw)))
    return `${name} must be an https URL without credentials in MODE=production (got ${quote(raw)}).`
  return undefined
}

/** The location of the database for people, without password or parameters. */
export const databaseName = (database: DatabaseAddress): string => {
  if (database.type === 'sqlite') return database.path === ':memory:' ? 'in memory' : database.path
  const { username, host, pathname, searchParams } = new URL(database.url)
  return `postgres://${username && `${username}@`}${host || searchParams.get('host')}${pathname}`
}

/** `localhost` leads to 127.0.0.1, and to a server that listens on all addresses. */
const hostInUrl = (host: string): string => {
  if (/^(127\.0\.0\.1|0\.0\.0\.0|::)$/.test(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** The URL at which the server is reached. `port`: the port that it listens on. */
export const baseUrlOf = (
  { baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>,
  port: number,
): string => baseUrl ?? `http://${hostInUrl(host)}:${port}`

/** Where a provider sends later answers. */
export const callbackUrl = (baseUrl: string, port: ProviderPort): string =>
  `${baseUrl}/providers/${port}`

/** Builds every URL that is handed out, under one base. */
export const linksFrom = (baseUrl: string): Links => ({
  wait: (orderRef) => `${baseUrl}/api/v1/checkout/${orderRef}/wait`,
  pay: (orderRef, token) => `${baseUrl}/pay/${orderRef}/${token}`,
  payWithCard: (orderRef, token, card) => `${baseUrl}/pay/${orderRef}/${token}/card/${card}`,
  verify: (orderRef, token) => `${baseUrl}/verify/${orderRef}/${token}`,
  cancellationRequest: (orderRef) => `${baseUrl}/console/orders/${orderRef}`,
})

/**
 * The terms of every order. A command that makes steps of orders needs the same as the server next
 * to it.
 */
export const termsOf = (config: Config, baseUrl: string): Terms => ({
  rules: {
    screeningWindow: config.screeningWindow,
    otpLifetime: config.otpLifetime,
    checkoutLifetime: config.checkoutLifetime,
    masterCode: config.policy.masterCode,
  },
  links: linksFrom(baseUrl),
  names: config.names,
})

/** The proxy for calls to merchants and providers; null: none. */
const proxyOf = ({ OUTBOUND_PROXY, NO_PROXY }: Settings): OutboundProxy | null =>
  OUTBOUND_PROXY === null ? null : { url: OUTBOUND_PROXY, except: NO_PROXY }

/** By name, the passwords of all operators. Production has no default password. */
const operatorsOf = ({ MODE, OPERATORS, OPERATOR_PASSWORD }: Settings) =>
  MODE === 'production' && OPERATOR_PASSWORD === SANDBOX_OPERATOR_PASSWORD
    ? OPERATORS
    : new Map([...OPERATORS, [OPERATOR, OPERATOR_PASSWORD]])

const toConfig = (settings: Settings) => ({
  mode: settings.MODE,
  policy: policyOf(settings.MODE),
  port: settings.PORT,
  host: settings.HOST,
  /** Null: http at `host` and `port`. */
  baseUrl: settings.BASE_URL,
  /** Null: plazo's own page. */
  privacyPolicyUrl: settings.PRIVACY_POLICY_URL,
  database: settings.DATABASE_URL,
  /**
   * Null: a SQLite sandbox creates its own keys. A PostgreSQL database always requires the setting.
   */
  keyring: settings.SECRET_KEY,
  names: wireNames(settings.SERVICE_NAME, settings.IPN_STATE_PARAMETER),
  operatorPassword: settings.OPERATOR_PASSWORD,
  operators: operatorsOf(settings),
  /** URL of the service that answers a port; null: the sandbox's own provider answers it. */
  providers: {
    screening: settings.SCREENING_URL,
    sms: settings.SMS_URL,
    identity: settings.IDENTITY_URL,
    payment: settings.PAYMENT_URL,
    risk: settings.RISK_URL,
  },
  /** Milliseconds. */
  screeningWindow: settings.SCREENING_WINDOW,
  otpLifetime: settings.OTP_LIFETIME,
  checkoutLifetime: settings.CHECKOUT_LIFETIME,
  webhookConcurrency: settings.WEBHOOK_CONCURRENCY,
  webhookPerMerchant: settings.WEBHOOK_PER_MERCHANT,
  webhookAllow: settings.WEBHOOK_ALLOW,
  proxy: proxyOf(settings),
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: settings.TRUSTED_PROXIES,
  /** How long finished deliveries are kept, in milliseconds; null: forever. */
  retainDeliveries: settings.RETAIN_DELIVERIES,
  logLevel: settings.LOG_LEVEL,
})

/**
 * Reads and checks all settings. Left: one line for each wrong setting. An empty value means the
 * default. `providers`: the ports that the program answers itself, as it gives them to `compose`.
 * They need no URL in production.
 */
export const readConfig = (
  environment: Environment,
  { providers = {} }: { readonly providers?: Partial<HostProviders> } = {},
): E.Either<readonly string[], Config> => {
  const lines = new Map<string, string>()
  const values: Record<string, unknown> = {}
  for (const [name, { fallback, expected, redact, read }] of Object.entries<Setting<unknown>>({
    ...SETTINGS,
    ...LEGAL_SETTINGS,
  })) {
    const raw = environment[name] ?? ''
    const value = read(raw === '' ? fallback : raw)
    if (value === undefined)
      lines.set(name, `${name} must be ${expected} (got ${redact?.(raw) ?? quote(raw)}).`)
    values[name] = value
  }
  const settings = values as Settings
  if (settings.MODE === 'production')
    // Such a line replaces the one that a sandbox would get about the same setting.
    for (const name of requiredInProduction(providers, environment)) {
      const line = productionLine(name, environment[name] ?? '', lines.has(name))
      if (line !== undefined) lines.set(name, line)
    }
  else if (settings.DATABASE_URL?.type === 'postgres' && settings.SECRET_KEY === null)
    lines.set('SECRET_KEY', KEY_REQUIRED)
  if (lines.size > 0) return E.left([...lines.values()])
  // The loop above has read every setting of LEGAL_SETTINGS with its own kind.
  return E.right({
    ...toConfig(settings),
    legal: readLegal(values as Record<string, string | null>),
  })
}
