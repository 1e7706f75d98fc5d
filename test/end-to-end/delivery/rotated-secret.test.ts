// A delivery keeps its key and its bytes while the secret that signs it is replaced.
import { openSqlite } from '@plazo/adapters/sqlite'
import { openShop, SECOND } from '@plazo/core/internal/testing'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it, onTestFinished } from 'vitest'
import { sign, verifyStandardWebhook } from '../../../packages/adapters/src/http/signature.ts'
import { aGateway, SECRET } from '../../harness/raw-merchant.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { anEvent, placeWith, startEngine } from './engine.ts'

it('after a rotation, a retry has the same bytes; the new secret signs it, and Webhook-Signature has both signatures', async () => {
  const FORMER = SECRET
  const CURRENT = 'fedcba9876543210fedcba9876543210'
  let secrets: readonly string[] = [FORMER]
  const storage = openSqlite(':memory:')
  const receiver = await startReceiver()
  onTestFinished(async () => {
    await receiver.close()
    await storage.close()
  })
  const shop = openShop(storage.store)
  receiver.answer('/events', { status: 500 })
  const engine = startEngine({ shop, gateway: aGateway({ secretsOf: () => TE.right(secrets) }) })
  await placeWith(shop, 'demo', [anEvent(`${receiver.url}/events`)])
  await engine.drain()
  secrets = [CURRENT, FORMER]
  shop.advance(10 * SECOND)
  await engine.drain()

  const [first, second] = receiver.received
  if (first === undefined || second === undefined) throw new Error('There were no two attempts.')
  expect(second.body).toBe(first.body)
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(first.headers['x-service-signature']).toBe(sign(FORMER, first.body))
  expect(second.headers['x-service-signature']).toBe(sign(CURRENT, second.body))
  for (const secret of [CURRENT, FORMER]) {
    const { headers, body } = second
    const message = {
      id: String(headers['webhook-id']),
      timestamp: Number(headers['webhook-timestamp']),
      body,
    }
    expect(verifyStandardWebhook([secret], message, String(headers['webhook-signature']))).toBe(
      true,
    )
  }
})
