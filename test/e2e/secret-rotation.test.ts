// Rotates a signing secret of a running server between two attempts of one delivery. Merchants must be able to verify both.
// Contract §6 and §7.
import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { commandLine } from '../harness/command-line.ts'
import type { Received } from '../harness/receiver.ts'
import { DEMO, type Json } from '../harness/shop.ts'
import { temporaryPath } from '../harness/temporary-path.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, requestsAt, surnames } from './stages.ts'

const NEW = 'fedcba9876543210fedcba9876543210'
const DAY = 86_400

const { path, remove } = temporaryPath('plazo.db')
afterAll(remove)
const DATABASE = { DATABASE_URL: `sqlite:${path}` }
const { receiver, shop, stages } = await servedShop(DATABASE)

const rotate = (...options: readonly string[]) => commandLine(DATABASE).run('merchant', 'rotate-secret', ...options)

const hex = (secret: string, { body }: Received): string => createHmac('sha256', secret).update(body).digest('hex')

const standard = (secret: string, { headers, body }: Received): string =>
  `v1,${createHmac('sha256', secret)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64')}`

const signatures = ({ headers }: Received) => ({
  own: headers['x-service-signature'],
  standard: String(headers['webhook-signature']).split(' '),
})

const shownSecret = async (): Promise<unknown> => {
  const answer = await shop.asMerchant('GET', '/merchants/demo/credentials')
  return ((await answer.json()) as Json).signature_secret
}

describe('a secret rotated between two attempts', () => {
  it('signs the next attempt at once, together with the old secret for 24 h, and then alone', async () => {
    const { events, merchant } = addressesAt(receiver, 'rotated')
    receiver.answer(events, { status: 500 })
    // The command also uses the moved clock: the overlap starts at the server's time.
    await shop.advance(30 * DAY)
    await stages.settled(surnames('denial event'), { merchant })
    const [first] = requestsAt(receiver, events) as [Received]
    expect(requestsAt(receiver, events)).toHaveLength(1)
    expect(signatures(first)).toEqual({ own: hex(DEMO.secret, first), standard: [standard(DEMO.secret, first)] })

    const rotated = await rotate('--ref', 'demo', '--secret', NEW)
    expect(rotated.stdout).toContain(NEW)
    expect(await shownSecret()).toBe(NEW)

    await shop.advance(10)
    const [, second] = requestsAt(receiver, events) as [Received, Received]
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(second.body).toBe(first.body)
    expect(signatures(second)).toEqual({
      own: hex(NEW, second),
      standard: [standard(NEW, second), standard(DEMO.secret, second)],
    })

    // The attempts continue: one shortly before the end of the overlap, the next 12 h after it.
    await shop.advance(1.5 * DAY)
    const [before, last] = requestsAt(receiver, events).slice(-2) as [Received, Received]
    expect(last.body).toBe(first.body)
    expect(signatures(before).standard).toEqual([standard(NEW, before), standard(DEMO.secret, before)])
    expect(signatures(last)).toEqual({ own: hex(NEW, last), standard: [standard(NEW, last)] })
  })
})

describe('plazo merchant rotate-secret', () => {
  it('generates a secret unless one is given, and can print it as JSON', async () => {
    const { stdout } = await rotate('--ref', 'demo', '--json')
    const { signature_secret: secret, ...rest } = JSON.parse(stdout) as Json
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(rest).toEqual({ ref: 'demo', former_signs_until: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(await shownSecret()).toBe(secret)
  })

  it.each<[string, readonly string[], RegExp]>([
    ['an unknown merchant', ['--ref', 'nobody'], /no merchant has that reference/],
    ['a secret of another shape', ['--ref', 'demo', '--secret', 'short'], /must be 32 hex digits \(got /],
  ])('refuses %s, and changes nothing', async (_, options, said) => {
    const before = await shownSecret()
    expect(await rotate(...options)).toMatchObject({ code: 1, stderr: expect.stringMatching(said) })
    expect(await shownSecret()).toBe(before)
  })

  it('refuses the current one', async () => {
    const current = String(await shownSecret())
    expect(await rotate('--ref', 'demo', '--secret', current)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was rotated'),
    })
  })
})
