import { describe, expect, it } from 'vitest'
import { createRespondOnce, inMemoryIdempotencyStore, type ReceiverResponse } from './idempotency.ts'

const DONE: ReceiverResponse = { status: 200, body: '{"result":"cancelled"}' }
const unexpected = (error: unknown): never => {
  throw error
}

const counted = (make: (call: number) => ReceiverResponse | Promise<ReceiverResponse>) => {
  const counter = { calls: 0 }
  return Object.assign(counter, {
    answer: async () => {
      counter.calls += 1
      return make(counter.calls)
    },
  })
}

describe('a request that is repeated', () => {
  it('is answered as it was the first time', async () => {
    const once = createRespondOnce(inMemoryIdempotencyStore())
    const handler = counted((call) => ({ status: 200, body: `{"call":${call}}` }))
    const first = await once('a', handler.answer, unexpected)
    expect(await once('a', handler.answer, unexpected)).toEqual(first)
    expect(await once('b', handler.answer, unexpected)).not.toEqual(first)
    expect(handler.calls).toBe(2)
  })

  it('while the first is still being handled waits for its answer', async () => {
    const once = createRespondOnce(inMemoryIdempotencyStore())
    const gate = Promise.withResolvers<ReceiverResponse>()
    const handler = counted(() => gate.promise)
    const both = [once('a', handler.answer, unexpected), once('a', handler.answer, unexpected)]
    gate.resolve(DONE)
    expect(await Promise.all(both)).toEqual([DONE, DONE])
    expect(handler.calls).toBe(1)
  })

  it('is handled again where the first time failed, for all that waited', async () => {
    const once = createRespondOnce(inMemoryIdempotencyStore())
    const handler = counted((call) => (call === 1 ? unexpected(new Error('no stock')) : DONE))
    const both = [once('a', handler.answer, unexpected), once('a', handler.answer, unexpected)]
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await once('a', handler.answer, unexpected)).toEqual(DONE)
    expect(handler.calls).toBe(2)
  })
})

describe('a memory that is out of reach', () => {
  const memory = inMemoryIdempotencyStore()
  const out = () => {
    throw new Error('out of reach')
  }

  it('keeps the handler from being called before it has been asked', async () => {
    let isOut = true
    const once = createRespondOnce({ ...memory, find: (id) => (isOut ? out() : memory.find(id)) })
    const handler = counted(() => DONE)
    await expect(once('a', handler.answer, unexpected)).rejects.toThrow('out of reach')
    isOut = false
    expect(await once('a', handler.answer, unexpected)).toEqual(DONE)
    expect(handler.calls).toBe(1)
  })

  it('does not take back what the handler has answered', async () => {
    const told: unknown[] = []
    const once = createRespondOnce({ ...memory, save: out })
    expect(await once('b', counted(() => DONE).answer, (error) => void told.push(error))).toEqual(DONE)
    expect(told).toEqual([new Error('out of reach')])
  })
})

describe('the memory of one process', () => {
  it('forgets the oldest answer beyond its capacity', async () => {
    const memory = inMemoryIdempotencyStore(2)
    for (const id of ['a', 'b', 'c']) await memory.save(id, { status: 200, body: id })
    const known = await Promise.all(['a', 'b', 'c'].map(memory.find))
    expect(known.map((answered) => answered?.body ?? null)).toEqual([null, 'b', 'c'])
  })
})
