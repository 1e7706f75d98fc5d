// `plazo merchant`, next to a running server that must see every change at once, a new secret
// included. Contract §6, §7.
import { describe, expect, it } from 'vitest'
import { merchantWords } from '../../harness/command-line.ts'
import { type Json, type PERSON, shopAt } from '../../harness/shop.ts'
import { servedShopOnFile } from '../served-shop.ts'

const { server, shop: demo, plazo } = await servedShopOnFile()

await plazo.json(
  ...merchantWords('lamps', { password: 'first', products: 'i1,pp3', country: 'ES' }),
)

/** As the list shows it; undefined if there is none. */
const findListed = async (ref: string): Promise<Json | undefined> =>
  (await plazo.json<readonly Json[]>('merchant', 'list')).find((each) => each.ref === ref)

const shop = shopAt(server.url, { username: 'lamps', password: 'first' })

const readCredentials = async () =>
  (await shop.asMerchant('GET', '/merchants/lamps/credentials')).json()

const submitWithout = async (without: keyof typeof PERSON): Promise<Json> =>
  shop.submit(await shop.place({ merchant: { id: 'lamps' } }), { [without]: undefined })

describe('plazo merchant set', () => {
  it('changes only the given options, and the running server uses them at once', async () => {
    expect(await readCredentials()).toMatchObject({ name: 'lamps', country: 'ES' })
    expect(await submitWithout('city')).toMatchObject({ errors: { city: 'invalid' } })
    const set = await plazo.json<Json>(
      ...['merchant', 'set', '--merchant', 'lamps', '--name', 'Lamps & Co', '--no-country'],
      ...['--optional-fields', 'city, given_names', '--send-action-events'],
    )
    expect(await readCredentials()).toMatchObject({
      name: 'Lamps & Co',
      country: null,
      options: { send_action_events_in_identification: true },
    })
    expect(set).toMatchObject({
      ref: 'lamps',
      name: 'Lamps & Co',
      country: null,
      currency: 'EUR',
      products: ['i1', 'pp3'],
      optional_fields: ['city', 'given_names'],
    })
    expect(await submitWithout('city')).toEqual({ action: 'require_validate_otp' })
    expect(await submitWithout('nin')).toMatchObject({ errors: { nin: 'invalid' } })
    expect(await findListed('lamps')).toEqual(set)
  })

  it('changes nothing if an option is invalid, and says what each expects', async () => {
    const before = await plazo.json('merchant', 'list')
    const { code, stderr } = await plazo.run(
      ...['merchant', 'set', '--merchant', 'lamps', '--name', 'New', '--country', 'UK'],
      ...['--currency', 'AUD', '--products', 'i1,x9', '--optional-fields', 'shoe_size'],
      ...['--password', ''],
    )
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual(
      [
        /^--password must be .* \(got ""\)/,
        /^--currency must be .* \(got "AUD"\)\. Use one of EUR, /,
        /^--products must be a list of i1, pp3, .* \(got "i1,x9"\)/,
        /^--country must be a country code like ES, .* \(got "UK"\)/,
        /^--optional-fields must be .* \(got "shoe_size"\)\. Use given_names, .* or "" for none\.$/,
      ].map((line) => expect.stringMatching(line)),
    )
    expect(await plazo.json('merchant', 'list')).toEqual(before)
  })
})

it('plazo merchant list has the secrets as JSON, but never the password', async () => {
  const { stdout } = await plazo.run('merchant', 'list', '--json')
  expect(stdout).toContain('0123456789abcdef0123456789abcdef')
  expect(stdout).not.toContain('scrypt')
})

describe('plazo merchant rotate-secret', () => {
  const DAY = 86_400

  const shownSecret = async (): Promise<unknown> => {
    const answer = await demo.asMerchant('GET', '/merchants/demo/credentials')
    return ((await answer.json()) as Json).signature_secret
  }

  it('generates a secret unless one is given, and can print it as JSON', async () => {
    // The command uses the moved clock too: the overlap starts at the server's time.
    const { now } = await demo.advance(30 * DAY)
    const {
      signature_secret: secret,
      former_signs_until: until,
      ...rest
    } = await plazo.json<Json>('merchant', 'rotate-secret', '--yes', '--merchant', 'demo')
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(rest).toEqual({ ref: 'demo' })
    const overlap = Date.parse(String(until)) - Date.parse(now)
    expect(overlap).toBeGreaterThanOrEqual(DAY * 1000)
    expect(overlap).toBeLessThan(2 * DAY * 1000)
    expect(await shownSecret()).toBe(secret)
  })

  it.each([
    ['nobody', 'no merchant has that reference'],
    ['demo', 'must be 32 hex digits, '],
  ])('refuses a short secret for the merchant %s: %s', async (ref, line) => {
    const before = await shownSecret()
    const options = ['--merchant', ref, '--secret', 'short', '--yes']
    expect(await plazo.run('merchant', 'rotate-secret', ...options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(line),
    })
    expect(await shownSecret()).toBe(before)
  })
})
