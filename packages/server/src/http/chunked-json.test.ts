import type { Delivery } from '@plazo/core/ports'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { encodeDelivery, joinAsArray, respondWithChunks, SLICE_BYTES } from './chunked-json.ts'

const attempt = {
  n: 1,
  trigger: 'schedule',
  startedAt: 0,
  outcome: 'error',
  durationMillis: 1,
  status: 500,
} as const
// By default, each answer is as long as a kept answer may be.
const aDelivery = (attempts: number, response = '\u0001'.repeat(16_384)): Delivery => ({
  id: 'x:1:ipn',
  event: 'ipn',
  orderRef: 'x',
  state: 'exhausted',
  dueAt: null,
  attempts: Array.from({ length: attempts }, () => ({ ...attempt, error: 'timeout', response })),
})

describe('a delivery as JSON', () => {
  it('has chunks of at most one slice more than an attempt, and its bytes are counted after escaping', async () => {
    const { encoded: chunks, bytes } = await encodeDelivery(aDelivery(50))()
    const text = Buffer.concat(chunks).toString()
    expect(bytes).toBe(Buffer.byteLength(text))
    expect(bytes).toBeGreaterThan(50 * 6 * 16_384)
    const attemptBytes = 6 * 16_384 + 300
    for (const chunk of chunks) expect(chunk.length).toBeLessThan(SLICE_BYTES + attemptBytes)
    expect(JSON.parse(text)).toMatchObject({
      id: 'x:1:ipn',
      attempts: expect.objectContaining({ length: 50 }),
    })
  })

  it('leaves the event loop free between two chunks', async () => {
    let turns = 0
    const turning = setInterval(() => {}, 0)
    const count = (): void => {
      turns += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    await encodeDelivery(aDelivery(50))()
    clearImmediate(counting)
    clearInterval(turning)
    expect(turns).toBeGreaterThanOrEqual(40)
  })
})

describe('JSON in chunks', () => {
  const respondWith = async (deliveries: readonly Delivery[]) => {
    const encoded = await Promise.all(
      deliveries.map(async (each) => (await encodeDelivery(each)()).encoded),
    )
    const app = new Hono().get('/', (c) =>
      respondWithChunks(c, joinAsArray(encoded), { link: '<next>' }),
    )
    return app.request('/')
  }

  it.each([0, 1, 3])('is an array of %d, with its length in advance', async (count) => {
    const answer = await respondWith(Array.from({ length: count }, () => aDelivery(2, 'fine')))
    const text = await answer.text()
    expect(JSON.parse(text)).toHaveLength(count)
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(answer.headers.get('link')).toBe('<next>')
  })

  it('is sent chunk by chunk on demand if it is long', async () => {
    const answer = await respondWith([aDelivery(10), aDelivery(10)])
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    expect(first?.value?.length).toBeLessThan(SLICE_BYTES)
    await reader?.cancel()
  })
})
