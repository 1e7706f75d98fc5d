import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../test/harness/time.ts'
import { eventStreams, type LiveEvent } from './stream.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

const eventNumber = (id: number, data: unknown = { id }): LiveEvent => ({ id, type: 'line', data })

const setUp = ({ onRead = () => {} } = {}) => {
  const hand = handTimers()
  const events: LiveEvent[] = []
  const state = { isBroken: false }
  const streams = eventStreams(hand.timers)
  const app = new Hono().get('/', (c) =>
    streams.respond(c, 'a', async (after) => {
      onRead()
      return state.isBroken ? null : events.filter(({ id }) => id > after)
    }),
  )
  return {
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
    open: async () => {
      const { body } = await app.request('/')
      if (body === null) throw new Error('The stream was refused.')
      await settle()
      return body
    },
  }
}

/** Collects what arrives, without waiting for more. */
const listenTo = (stream: ReadableStream<Uint8Array>) => {
  const received = { text: '', isOver: false }
  const decoder = new TextDecoder()
  const readAll = async (): Promise<void> => {
    for await (const bytes of stream) received.text += decoder.decode(bytes)
    received.isOver = true
  }
  void readAll()
  return received
}

describe('a stream of events', () => {
  it('sends a comment after fifteen silent seconds, so that proxies keep the connection', async () => {
    const { open, move } = setUp()
    const received = listenTo(await open())
    await move(14_000)
    expect(received.text).toBe('')
    await move(2_000)
    expect(received.text).toBe(': waiting\n\n')
  })

  it('buffers at most 64 KiB for a reader who takes nothing, and ends after 15 s', async () => {
    const { open, events, move } = setUp()
    for (let id = 1; id <= 100; id++) events.push(eventNumber(id, 'x'.repeat(1024)))
    const stream = await open()
    await move(16_000)
    const received = listenTo(stream)
    await settle()
    expect(received.text.length).toBeLessThanOrEqual(64 * 1024)
    expect(received.isOver).toBe(true)
  })

  it('lets everybody else go on, even if something has changed at each read', async () => {
    const { open, events, move } = setUp({
      onRead: () => {
        // Else the loop would not end.
        if (events.length < 1_000) events.push(eventNumber(events.length + 1))
      },
    })
    const received = listenTo(await open())
    await settle()
    expect(events).toHaveLength(1)
    await move(50)
    expect(received.text).toContain('id: 2\n')
    expect(events).toHaveLength(2)
  })

  it('ends at once when the server stops, also if it is opened then, so that a browser connects again', async () => {
    const { open, streams } = setUp()
    const before = listenTo(await open())
    streams.stop()
    const after = listenTo(await open())
    await settle()
    expect([before.isOver, after.isOver]).toEqual([true, true])
  })
})
