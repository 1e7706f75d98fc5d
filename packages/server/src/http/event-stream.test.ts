import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../test/harness/time.ts'
import { eventStreams, type LiveEvent } from './event-stream.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

const eventNumber = (id: number, data: unknown = { id }): LiveEvent => ({ id, type: 'line', data })

const setUp = () => {
  const hand = handTimers()
  const events: LiveEvent[] = []
  const state = { mayRead: true, isBroken: false }
  const streams = eventStreams(hand.timers)
  const source = {
    readAfter: async (after: number) =>
      state.isBroken ? null : events.filter(({ id }) => id > after),
    mayRead: async () => state.mayRead,
  }
  return {
    count: hand.count,
    settle,
    /** Second by second, so that each read ends before the next. */
    move: async (millis: number) => {
      for (let rest = millis; rest > 0; rest -= 1_000) {
        hand.move(Math.min(rest, 1_000))
        await settle()
      }
    },
    events,
    state,
    streams,
    source,
    open: (after = 0, account = 'a') => streams.open(account, source, after),
  }
}

/** Collects what arrives, without waiting for more. */
const listenTo = (stream: ReadableStream<Uint8Array> | null) => {
  if (stream === null) throw new Error('The stream was refused.')
  const reader = stream.getReader()
  const received = { text: '', isOver: false, cancel: () => reader.cancel() }
  const decoder = new TextDecoder()
  const readAll = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      received.text += decoder.decode(value)
    }
    received.isOver = true
  }
  void readAll()
  return received
}

describe('a stream of events', () => {
  it('sends a comment after fifteen silent seconds, so that proxies keep the connection', async () => {
    const { open, move } = setUp()
    const received = listenTo(open())
    await move(14_000)
    expect(received.text).toBe('')
    await move(2_000)
    expect(received.text).toBe(': waiting\n\n')
  })

  it('ends within a minute after the reader lost access', async () => {
    const { open, state, move, events } = setUp()
    const received = listenTo(open())
    await move(30_000)
    state.mayRead = false
    await move(31_000)
    expect(received.isOver).toBe(true)
    events.push(eventNumber(1, 'secret'))
    await move(5_000)
    expect(received.text).not.toContain('secret')
  })

  it('continues after the database could not be read', async () => {
    const { open, state, move, events } = setUp()
    const received = listenTo(open())
    state.isBroken = true
    events.push(eventNumber(1))
    await move(3_000)
    state.isBroken = false
    await move(1_000)
    expect(received.text).toContain('id: 1\n')
  })

  it('sends a reader who takes it everything, even if it is far more than 64 KiB at once', async () => {
    const { open, events, settle } = setUp()
    for (let id = 1; id <= 300; id++) events.push(eventNumber(id, 'x'.repeat(1024)))
    const received = listenTo(open())
    for (let turns = 0; turns < 1_000 && !received.text.includes('id: 300\n'); turns++)
      await settle()
    const ids = [...received.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(events.map(({ id }) => id))
    expect(received.isOver).toBe(false)
  })

  it('buffers at most 64 KiB for a reader who takes nothing, ends after 15 s, and leaves no timer behind', async () => {
    const { open, events, settle, move, count } = setUp()
    for (let id = 1; id <= 100; id++) events.push(eventNumber(id, 'x'.repeat(1024)))
    const stream = open()
    await move(14_000)
    expect(count()).toBe(1)
    await move(2_000)
    expect(count()).toBe(0)
    const received = listenTo(stream)
    await settle()
    expect(received.text.length).toBeLessThanOrEqual(64 * 1024)
    expect(received.text.length).toBeGreaterThan(62 * 1024)
    expect(received.isOver).toBe(true)
  })

  it('ends at once if it is opened then, so that a browser connects again', async () => {
    const { open, streams, settle, count } = setUp()
    streams.stop()
    const received = listenTo(open())
    await settle()
    expect(received.isOver).toBe(true)
    expect(count()).toBe(0)
  })
})
