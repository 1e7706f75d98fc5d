// Codes by SMS cost money and reach people, so one number gets only so many of them, over all orders,
// accounts and nodes. Contract §4.
import { randomUUID } from 'node:crypto'
import { newKeyring } from '@plazo/adapters/internal/encryption'
import { openSqlite } from '@plazo/adapters/internal/sqlite'
import { systemIds } from '@plazo/adapters/internal/system'
import { type FullStore, submitIdentification } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  firstStep,
  PLACED,
  PLACED_AT,
  TERMS,
} from '../../../packages/core/src/testing/harness/order-fixture.ts'
import { KEYRING, openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { PERSON } from '../../harness/shop.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Opened = { readonly store: FullStore }

const openOne = (limitsCodes: boolean) => {
  const storage = openSqlite(':memory:', { keyring: newKeyring(), limitsCodes })
  onTestFinished(() => storage.close())
  return [storage]
}

const openTwoNodes = async (limitsCodes: boolean) => {
  const first = await openPostgresTestStorage({ keyring: KEYRING, limitsCodes })
  const second = await openPostgresTestStorage({ keyring: KEYRING, limitsCodes, url: first.url })
  onTestFinished(async () => {
    await second.close()
    await first.close()
  })
  return [first, second]
}

/** Submits a new order with this phone, and returns `sent` or the wrong fields. */
const shopOn = (nodes: readonly Opened[]) => {
  let now = PLACED_AT
  let turn = 0
  const place = async (country: string | null = 'ES', optionalFields: readonly string[] = []) => {
    const { store } = nodes[turn++ % nodes.length] as Opened
    const orderRef = randomUUID()
    const merchant = { ...PLACED.merchant, country, optionalFields }
    const step = firstStep({ orderRef, merchant, placedAt: now })
    expect(await store.place(step, '{}')()).toEqual(E.right(undefined))
    return { store, orderRef }
  }
  const submit = async ({ store, orderRef }: Awaited<ReturnType<typeof place>>, phone: string) => {
    const host = { store, clock: { now: () => now }, ids: systemIds, terms: TERMS }
    const answer = await submitIdentification(host)(orderRef, { ...PERSON, mobile_phone: phone })()
    if (E.isLeft(answer)) return answer.left
    const { action, ...rest } = answer.right
    return action === 'require_validate_otp' ? 'sent' : rest
  }
  const send = async (phone: string, country?: string | null) => submit(await place(country), phone)
  const advance = (millis: number) => {
    now += millis
  }
  return { place, submit, send, advance, now: () => now }
}

const WRONG_PHONE = { errors: { mobile_phone: 'invalid' } }
const count = (answers: readonly unknown[]) => answers.filter((answer) => answer === 'sent').length

describe.each([
  ['SQLite', openOne],
  ['two nodes on PostgreSQL', openTwoNodes],
])('on %s', (_, open) => {
  it('of forty orders at once, five get a code, and the others name the phone', async () => {
    const { send } = shopOn(await open(true))
    const answers = await Promise.all(Array.from({ length: 40 }, () => send('600999888')))
    expect(count(answers)).toBe(5)
    expect(answers.filter((answer) => answer !== 'sent')).toEqual(Array(35).fill(WRONG_PHONE))
  })

  it('a number gets five codes in an hour and ten in a day, however it is written', async () => {
    const { send, advance } = shopOn(await open(true))
    for (const [phone, country] of [
      ['600999888', 'ES'],
      ['+34 600 999 888', 'FR'],
      ['0034600999888', null],
      ['(600) 99-98.88', 'ES'],
      ['+34600999888', 'ES'],
    ] as const)
      expect(await send(phone, country)).toBe('sent')
    expect(await send('600 999 888')).toEqual(WRONG_PHONE)
    expect(await send('600999888', 'FR')).toBe('sent')
    advance(HOUR)
    for (let n = 0; n < 5; n += 1) expect(await send('600999888')).toBe('sent')
    advance(2 * HOUR)
    expect(await send('600999888')).toEqual(WRONG_PHONE)
    advance(21 * HOUR)
    expect(await send('600999888')).toBe('sent')
  })

  it('an order that is refused stays where it is, and goes on with another number or later', async () => {
    const shop = shopOn(await open(true))
    for (let n = 0; n < 4; n += 1) await shop.send('600999888')
    const waiting = await shop.place()
    expect(await shop.submit(waiting, '600999888')).toBe('sent')
    shop.advance(MINUTE)
    const refused = await shop.place()
    const before = await refused.store.read(refused.orderRef)()
    expect(await shop.submit(refused, '600999888')).toEqual(WRONG_PHONE)
    // The next code of an order counts too.
    expect(await shop.submit(waiting, '600999888')).toEqual(WRONG_PHONE)
    expect(await refused.store.read(refused.orderRef)()).toEqual(before)
    expect(await shop.submit(refused, '600999777')).toBe('sent')
    shop.advance(HOUR)
    expect(await shop.submit(waiting, '600999888')).toBe('sent')
  })

  it('orders without a phone are not counted, and a store counts only if it is told to', async () => {
    const { place, submit } = shopOn(await open(true))
    for (let n = 0; n < 6; n += 1)
      expect(await submit(await place('ES', ['mobile_phone']), '')).toBe('sent')
    const { send } = shopOn(await open(false))
    for (let n = 0; n < 6; n += 1) expect(await send('600999888')).toBe('sent')
  })

  it('what is older than a day is forgotten', async () => {
    const nodes = await open(true)
    const { send, now } = shopOn(nodes)
    for (let n = 0; n < 5; n += 1) await send('600999888')
    await nodes[0]?.store.retention.dropCodeCounts(now())()
    expect(await send('600999888')).toEqual(WRONG_PHONE)
    await nodes[0]?.store.retention.dropCodeCounts(now() + 1)()
    expect(await send('600999888')).toBe('sent')
  })
})
