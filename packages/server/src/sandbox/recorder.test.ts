import { describe, expect, it } from 'vitest'
import { createRecorder, type RecordedContent } from './recorder.ts'

const request = (body: unknown): RecordedContent => ({
  type: 'request',
  method: 'POST',
  path: '/pay',
  status: 200,
  body,
  answer: null,
})

const KIB = 1024

describe('the recorder of a sandbox', () => {
  it('lists what happened to an order, oldest first, without secrets', () => {
    const recorder = createRecorder({ now: () => 1_000 })
    recorder.record('one', request({ number: '4111111111111111', cvc: '123' }))
    recorder.record('other', request('other'))
    recorder.record('one', request('second'), 900)
    const [first, second] = recorder.list('one')
    expect(first).toMatchObject({
      at: 1_000,
      content: { body: { number: '•••• 1111', cvc: '[hidden]' } },
    })
    expect(second).toMatchObject({ at: 900, content: { body: 'second' } })
    expect(recorder.list('one', first?.id)).toEqual([second])
  })

  it('keeps the last two thousand records, and eight million characters', () => {
    const recorder = createRecorder({ now: () => 0 })
    for (let n = 0; n < 2_100; n++) recorder.record('many', request(n))
    expect(recorder.list('many')).toHaveLength(2_000)
    for (let n = 0; n < 200; n++) recorder.record('long', request('x'.repeat(60 * KIB)))
    const { length: count } = recorder.list('long')
    expect(count).toBeGreaterThan(130)
    expect(count).toBeLessThan(140)
    expect(recorder.list('many')).toEqual([])
  })

  it('leaves out what is longer than 64 KiB', () => {
    const recorder = createRecorder({ now: () => 0 })
    recorder.record('one', request('x'.repeat(64 * KIB)))
    expect(recorder.list('one')).toEqual([])
  })

  it('forgets an order, and no other', () => {
    const recorder = createRecorder({ now: () => 0 })
    recorder.record('one', request(1))
    recorder.record('two', request(2))
    recorder.forget('one')
    expect([recorder.list('one').length, recorder.list('two').length]).toEqual([0, 1])
  })
})
