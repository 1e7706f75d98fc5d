import { afterAll, describe, expect, it } from 'vitest'
import { temporaryPath } from '../ports-and-folders.ts'
import { startServer } from '../running-server.ts'
import { DECLINED_CARD, type Shop, shopAt } from '../shop.ts'
import { replay, termsAt } from './replay.ts'
import { type Line, openSqliteSnapshot, type StoredRow } from './sqlite-snapshot.ts'

type StoredJournal = { readonly row: StoredRow; readonly lines: readonly Line[] }

const { path, remove } = temporaryPath('plazo.db')

const payFirst = { credit_agreement: { product: 'sp1', instalment_count: 3 } }

const toTheOutcome = async (
  shop: Shop,
  extra: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const orderRef = await shop.place()
  await shop.submit(orderRef, extra)
  await shop.submit(orderRef, { ...extra, validation_code: '00000' })
  await shop.submit(orderRef, { ...extra, validation_code: '12345' })
  await shop.advance(2)
  await shop.submit(orderRef, extra)
  return orderRef
}

const walk = async (shop: Shop): Promise<void> => {
  await shop.place()
  await toTheOutcome(shop, { surnames: 'denial event' })
  const orderRef = await toTheOutcome(shop, { surnames: 'review event' })
  await shop.advance(1)
  await shop.decide(orderRef, 'approve')
  const paid = await toTheOutcome(shop, payFirst)
  await shop.pay((await shop.wait(paid)).iframe_url, DECLINED_CARD)
  await shop.pay((await shop.wait(paid)).iframe_url)
  await shop.advance(1)
  await shop.decide(paid, 'cancel')
  await shop.advance(25 * 3600)
}

afterAll(remove)
const server = await startServer({ env: { DATABASE_URL: `sqlite:${path}` } })
const baseUrl = server.url
await walk(shopAt(baseUrl))
await server.stop()
const snapshot = openSqliteSnapshot(path)
const stored: readonly StoredJournal[] = snapshot
  .orders()
  .map((row) => ({ row, lines: snapshot.lines(row.id) }))
snapshot.close()

describe('an order replayed from its journal', () => {
  it('is the stored order, with the stored journal', () => {
    expect(
      stored.map(({ row, lines }) => replay(row, lines, termsAt(baseUrl)).order.state.checkout),
    ).toEqual(['expired', 'rejected', 'confirmed', 'confirmed'])
    expect(stored.flatMap(({ row, lines }) => replay(row, lines, termsAt(baseUrl)).faults)).toEqual(
      [],
    )
  })

  it('produces every effect again, under the same key', () => {
    const derived = stored.flatMap(({ row, lines }) => replay(row, lines, termsAt(baseUrl)).derived)
    const answered = stored.flatMap(({ lines }) =>
      lines.flatMap(({ input }) => /"inReplyTo":"([^"]+)"/.exec(input ?? '')?.[1] ?? []),
    )
    expect(answered.filter((key) => !derived.some((effect) => effect.key === key))).toEqual([])
    expect(new Set(derived.map(({ key }) => key)).size).toBe(derived.length)
  })

  it('is a different order if a line of the journal is left out', () => {
    for (const { row, lines } of stored)
      for (const missing of lines.filter(({ input }) => input !== null)) {
        const rest = lines.filter((line) => line !== missing)
        expect(replay(row, rest, termsAt(baseUrl)).faults).not.toEqual([])
      }
  })
})
