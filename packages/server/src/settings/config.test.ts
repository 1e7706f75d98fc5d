import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { baseUrlOf, type Environment, readConfig } from './config.ts'

const PRODUCTION = {
  MODE: 'production',
  BASE_URL: 'https://pay.example/',
  SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  OPERATOR_PASSWORD: 'a password of its own',
  SCREENING_URL: 'https://screening.example/plazo?tenant=7',
  SMS_URL: 'https://10.0.0.7/sms',
  IDENTITY_URL: 'https://identity.example',
  PAYMENT_URL: 'https://payment.example:8443/',
  RISK_URL: 'https://risk.example',
}

// Every setting that production requires; BASE_URL has its default here too.
const NEEDED = Object.keys(PRODUCTION).filter((name) => name !== 'MODE' && name !== 'BASE_URL')

const linesOf = (environment: Environment): readonly string[] =>
  E.match(
    (lines: readonly string[]) => lines,
    () => [],
  )(readConfig(environment))

const configOf = (environment: Environment) => {
  const config = readConfig(environment)
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  return config.right
}

describe('the sandbox', () => {
  it('accepts a provider for any port, with http only on its own machine', () => {
    for (const url of ['http://[::1]:1', 'https://provider.example/a?b'])
      expect(configOf({ RISK_URL: url }).providers).toMatchObject({ risk: url, screening: null })
  })

  it.each([...['http://10.0.0.1', 'ftp://localhost', 'https://a:b@provider.example']])(
    'rejects a provider at %s',
    (url) => {
      expect(linesOf({ SMS_URL: url })).toEqual([
        // A password in it is hidden.
        `SMS_URL must be an https URL without credentials, or an http one on the loopback interface (got "${url.replace('a:b@', '…@')}").`,
      ])
    },
  )
})

describe('the database', () => {
  const KEY = { SECRET_KEY: PRODUCTION.SECRET_KEY }

  it.each([
    ['', { type: 'sqlite', path: './data/plazo.db' }],
    ['sqlite:///var/plazo.db', { type: 'sqlite', path: '///var/plazo.db' }],
    [
      'postgres:///plazo?host=/run/postgresql',
      { type: 'postgres', url: 'postgres:///plazo?host=/run/postgresql' },
    ],
  ])('is read from %j', (DATABASE_URL, database) => {
    expect(configOf({ ...KEY, DATABASE_URL }).database).toEqual(database)
  })

  it.each([
    ...['', ':memory:?cache=shared', '//data/x.db'].map((path) => [`sqlite:${path}`]),
    ['mysql://a:p4ssword@db/plazo', 'mysql://…@db/plazo'],
    ['postgres://a:p4ss@word@db:x/plazo', 'postgres://…@db:…/plazo'],
    ['postgres:///plazo?password=p4ssword&x=y', 'postgres:///plazo?password=…&x=y'],
  ])(
    'refuses DATABASE_URL %j without showing its password',
    (DATABASE_URL, message = DATABASE_URL) => {
      const lines = linesOf({ ...KEY, DATABASE_URL })
      expect(lines).toEqual([
        `DATABASE_URL must be sqlite:<path> of a file, without // or ?, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<database> (got ${JSON.stringify(message)}).`,
      ])
      expect(lines.join()).not.toMatch(/p4ss|word@/)
    },
  )

  it('that several servers share requires a key in a sandbox too, and says how to generate it', () => {
    const [line, ...others] = linesOf({ DATABASE_URL: 'postgres://db/plazo' })
    expect(line).toMatch(
      /^SECRET_KEY is not set\. A PostgreSQL database requires it, .*`openssl rand -base64 32`/,
    )
    expect(others).toEqual([])
    expect(linesOf({ DATABASE_URL: 'postgres://db/plazo', SECRET_KEY: 'short' })).toEqual([
      expect.stringMatching(/^SECRET_KEY must be /),
    ])
  })
})

describe('the address that the server gives out', () => {
  it.each([
    ['127.0.0.1', 'http://localhost:3000'],
    ['0.0.0.0', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['shop.internal', 'http://shop.internal:3000'],
  ])('leads to HOST=%s', (HOST, url) => {
    expect(baseUrlOf(configOf({ HOST }), 3000)).toBe(url)
    expect(baseUrlOf(configOf({ HOST, BASE_URL: 'https://pay.example/' }), 3000)).toBe(
      'https://pay.example',
    )
  })
})

describe('trusted proxies', () => {
  it.each(['::/0', '0.0.0.0/1,128.0.0.0/1', '10.0.0.0/7'])(
    'are not the whole Internet: %s',
    (TRUSTED_PROXIES) => {
      expect(linesOf({ TRUSTED_PROXIES })).toEqual([
        `TRUSTED_PROXIES must be a list of networks like 10.0.0.0/8,fd00::/8, none wider than /8 or, of IPv6, /7: clients in it may claim any address (got ${JSON.stringify(TRUSTED_PROXIES)}).`,
      ])
    },
  )
})

describe('the outbound proxy', () => {
  it('is an http URL, and has hosts that are called without it', () => {
    const OUTBOUND_PROXY = 'http://plazo:secret@proxy.internal:3128'
    expect(configOf({ NO_PROXY: 'internal.example' }).proxy).toBeNull()
    expect(
      configOf({ OUTBOUND_PROXY, NO_PROXY: 'internal.example:443, 10.0.0.0/8 [fd12::1]' }).proxy,
    ).toEqual({
      url: OUTBOUND_PROXY,
      except: ['internal.example:443', '10.0.0.0/8', '[fd12::1]'],
    })
  })

  it.each([
    ['proxy.internal:3128', '"proxy.internal:3128"'],
    ['http://plazo:secret@proxy.internal/path', '"http://…@proxy.internal/path"'],
    ['http://plazo:100%secret@proxy.internal', '"http://…@proxy.internal"'],
  ])('is nothing else: %s', (OUTBOUND_PROXY, shown) => {
    expect(linesOf({ OUTBOUND_PROXY })).toEqual([
      `OUTBOUND_PROXY must be an http URL like http://proxy.internal:3128, percent-encoded (got ${shown}).`,
    ])
  })
})

it.each(['10.0.0.0/33', 'http://internal.example'])(
  'NO_PROXY refuses what is neither a name nor a network: %s',
  (NO_PROXY) => {
    expect(linesOf({ NO_PROXY })).toEqual([expect.stringMatching(/^NO_PROXY must be a list of /)])
  },
)

describe('production', () => {
  it('starts with all required settings, and spreads retries', () => {
    const { SCREENING_URL, SMS_URL, IDENTITY_URL, PAYMENT_URL, RISK_URL } = PRODUCTION
    expect(configOf(PRODUCTION)).toMatchObject({
      mode: 'production',
      baseUrl: 'https://pay.example',
      policy: { jitter: 0.1 },
      providers: {
        screening: SCREENING_URL,
        sms: SMS_URL,
        identity: IDENTITY_URL,
        payment: PAYMENT_URL,
        risk: RISK_URL,
      },
    })
  })

  it('reports each missing setting on its own line', () => {
    expect(linesOf({ MODE: 'production' })).toEqual(
      NEEDED.map(
        (name) =>
          `${name} is not set. MODE=production requires it${name === 'OPERATOR_PASSWORD' ? ' or OPERATORS' : ''}, and does not use the sandbox's default.`,
      ),
    )
  })

  it.each([' Operator\n', '12345', '\t\u00a0\ufeff   '])(
    'refuses an operator’s password that everybody knows or can guess: %j',
    (OPERATOR_PASSWORD) => {
      const lines = linesOf({ ...PRODUCTION, OPERATOR_PASSWORD })
      expect(lines).toEqual([
        expect.stringMatching(
          /^OPERATOR_PASSWORD is the sandbox's, or has fewer than 6 characters/,
        ),
      ])
      expect(configOf({ OPERATOR_PASSWORD }).operatorPassword).toBe(OPERATOR_PASSWORD)
    },
  )

  it('requires operators with names, or the password of the user operator', () => {
    const { OPERATOR_PASSWORD, ...others } = PRODUCTION
    const OPERATORS = 'ana:first password,luis:second:password'
    const named = [
      ['ana', 'first password'],
      ['luis', 'second:password'],
    ] as const
    expect([...configOf({ ...others, OPERATORS }).operators]).toEqual(named)
    expect([...configOf({ ...PRODUCTION, OPERATORS }).operators]).toEqual([
      ...named,
      ['operator', OPERATOR_PASSWORD],
    ])
    expect(linesOf({ ...others, OPERATORS, OPERATOR_PASSWORD: 'operator' })).toEqual([
      expect.stringMatching(/^OPERATOR_PASSWORD is the sandbox's/),
    ])
    expect(linesOf({ ...others, OPERATORS: 'ana:short' })).toEqual([
      expect.stringMatching(/^OPERATORS must be /),
    ])
  })
})

describe('operators', () => {
  it.each([
    ['ana', 1],
    [`ana:hidden-password,luis:${' '.repeat(11)}x`, 2],
    ['Ana:hidden-password', 1],
    ['operator:hidden-password', 1],
    ['ana:hidden-password,ana:hidden-password', 2],
  ])('are refused without showing a password: %j', (OPERATORS, count) => {
    const lines = linesOf({ OPERATORS })
    expect(lines).toEqual([
      expect.stringMatching(/^OPERATORS must be a list like ana:.* at least 12 characters /),
    ])
    expect(lines[0]).toContain(`(got a list of ${count} with an error).`)
    expect(lines[0]).not.toContain('hidden')
  })
})

it('the IPN’s state must not be named like another parameter', () => {
  expect(linesOf({ IPN_STATE_PARAMETER: 'order_ref_1' })).toEqual([
    expect.stringMatching(
      /^IPN_STATE_PARAMETER must be .* none of order_ref, .* \(got "order_ref_1"\)/,
    ),
  ])
  expect(linesOf({ IPN_STATE_PARAMETER: 'order_ref_1_x' })).toEqual([])
})

describe('the public address', () => {
  it.each([...['https:x', 'http://x/?q=1', 'https://x/#f', 'https://a@x']])(
    'must not be %s, because no path can follow it',
    (BASE_URL) => {
      expect(linesOf({ BASE_URL })).toEqual([
        expect.stringMatching(
          /^BASE_URL must be an http or https URL without credentials, query or fragment/,
        ),
      ])
    },
  )
})

it.each(['OTP_LIFETIME', 'SCREENING_WINDOW', 'CHECKOUT_LIFETIME', 'RETAIN_DELIVERIES'])(
  '%s has an upper limit that instants can represent',
  (name) => {
    expect(linesOf({ [name]: '36501d' })).toEqual([expect.stringContaining('up to 36500d')])
    expect(linesOf({ [name]: '36500d' })).toEqual([])
  },
)
