import { memoryRecords } from '@plazo/adapters/memory'
import { unwrap } from '@plazo/core/testing/contracts'
import * as TE from 'fp-ts/lib/TaskEither.js'
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

const setUp = () => {
  const records = memoryRecords()
  const time = { now: 0 }
  const failures: string[] = []
  const parts = {
    clock: { now: () => 1_000 },
    monotonicNow: () => time.now,
    merchantOf: async (orderRef: string) => (orderRef === 'U' ? 'demo' : null),
    onFailure: ({ message }: { readonly message: string }) => void failures.push(message),
  }
  return { records, time, failures, parts, recorder: createRecorder({ records, ...parts }) }
}

const contentsIn = async (records: ReturnType<typeof memoryRecords>) =>
  (await unwrap(records.list({ kind: 'timeline', orderRef: 'U' }))).map(
    ({ value }) => value as { readonly body: unknown },
  )

describe('the recorder of a sandbox', () => {
  it('keeps records in the order in which things happened, without secrets', async () => {
    const { recorder, records } = setUp()
    recorder.record('U', request({ number: '4111111111111111', cvc: '123' }))
    recorder.record('U', request({ status: 'success' }))
    await recorder.drain()
    expect((await contentsIn(records)).map(({ body }) => body)).toEqual([
      { number: '•••• 1111' },
      { status: 'success' },
    ])
  })

  it('keeps nothing of an order that does not exist', async () => {
    const { recorder, records } = setUp()
    recorder.record('V', request(1))
    await recorder.drain()
    expect(await unwrap(records.list({ kind: 'timeline', orderRef: 'V' }))).toEqual([])
  })

  it('makes only so many records in a second, and continues after a pause', async () => {
    const { recorder, records, time } = setUp()
    for (let count = 0; count < 1_000; count++) recorder.record('U', request(count))
    await recorder.drain()
    expect((await contentsIn(records)).length).toBe(200)
    expect(recorder.isOpen()).toBe(false)
    time.now += 1_000
    expect(recorder.isOpen()).toBe(true)
  })

  it('makes no record for a second after many requests were in progress', async () => {
    const { recorder, records, time } = setUp()
    const release: (() => void)[] = []
    const requests = Array.from({ length: 25 }, () =>
      recorder.during(() => new Promise<void>((resolve) => release.push(resolve))),
    )
    for (const end of release) end()
    await Promise.all(requests)
    recorder.record('U', request('lost'))
    expect(recorder.isOpen()).toBe(false)
    time.now += 1_000
    recorder.record('U', request('kept'))
    await recorder.drain()
    expect((await contentsIn(records)).map(({ body }) => body)).toEqual(['kept'])
  })

  it('leaves out a record that is too long', async () => {
    const { recorder, records } = setUp()
    recorder.record('U', request('x'.repeat(70_000)))
    await recorder.drain()
    expect(await contentsIn(records)).toEqual([])
  })

  it('reports a record that could not be stored, and goes on', async () => {
    const { parts, failures, records } = setUp()
    let isBroken = true
    const add: typeof records.add = (...parameters) =>
      isBroken
        ? TE.left({ _tag: 'Unavailable', code: 'closed', message: 'gone' } as const)
        : records.add(...parameters)
    const recorder = createRecorder({ records: { add }, ...parts })
    recorder.record('U', request(1))
    await recorder.drain()
    isBroken = false
    recorder.record('U', request(2))
    await recorder.drain()
    expect(failures).toEqual(['gone'])
    expect((await contentsIn(records)).map(({ body }) => body)).toEqual([2])
  })
})
