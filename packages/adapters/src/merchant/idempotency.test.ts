import { describe, expect, it } from 'vitest'
import type { ReceiverResponse } from './handlers.ts'
import { createRespondOnce, inMemoryIdempotencyStore } from './receiver.ts'

const DONE: ReceiverResponse = { status: 200, body: '{"result":"cancelled"}' }
const throwError = (error: unknown): never => {
  throw error
}

const countCalls = (make: (call: number) => ReceiverResponse | Promise<ReceiverResponse>) => {
  const counter = { calls: 0 }
  return Object.assign(counter, {
    answer: async () => {
      counter.calls += 1
      return make(counter.calls)
    },
  })
}

describe('a repeated request', () => {
  it('waits for the first one’s answer while that is being handled', async () => {
    const once = createRespondOnce(inMemoryIdempotencyStore())
    const gate = Promise.withResolvers<ReceiverResponse>()
    const handler = countCalls(() => gate.promise)
    const both = [once('a', handler.answer, throwError), once('a', handler.answer, throwError)]
    gate.resolve(DONE)
    expect(await Promise.all(both)).toEqual([DONE, DONE])
    expect(handler.calls).toBe(1)
  })

  it('is handled again if the first one failed, also for all that waited', async () => {
    const once = createRespondOnce(inMemoryIdempotencyStore())
    const handler = countCalls((call) => (call === 1 ? throwError(new Error('no stock')) : DONE))
    const both = [once('a', handler.answer, throwError), once('a', handler.answer, throwError)]
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    expect(await once('a', handler.answer, throwError)).toEqual(DONE)
    expect(handler.calls).toBe(2)
  })
})

describe('an unreachable idempotency store', () => {
  const memory = inMemoryIdempotencyStore()
  const out = () => {
    throw new Error('out of reach')
  }

  it('prevents the call of the handler before it has been read', async () => {
    let isOut = true
    const once = createRespondOnce({ ...memory, find: (id) => (isOut ? out() : memory.find(id)) })
    const handler = countCalls(() => DONE)
    await expect(once('a', handler.answer, throwError)).rejects.toThrow('out of reach')
    isOut = false
    expect(await once('a', handler.answer, throwError)).toEqual(DONE)
    expect(handler.calls).toBe(1)
  })

  it('does not change the handler’s answer', async () => {
    const errors: unknown[] = []
    const once = createRespondOnce({ ...memory, save: out })
    expect(
      await once('b', countCalls(() => DONE).answer, (error) => void errors.push(error)),
    ).toEqual(DONE)
    expect(errors).toEqual([new Error('out of reach')])
  })
})

it('the store of one process drops the oldest answer beyond its capacity', async () => {
  const memory = inMemoryIdempotencyStore(2)
  for (const id of ['a', 'b', 'c']) await memory.save(id, { status: 200, body: id })
  const answers = await Promise.all(['a', 'b', 'c'].map(memory.find))
  expect(answers.map((answered) => answered?.body ?? null)).toEqual([null, 'b', 'c'])
})
