// Streamed answers. A page may follow an order for hours by server-sent events. It must not fill a
// server's memory, or keep a server from stopping. After a break, it resumes after its last event.
import type { HttpBindings } from '@hono/node-server'
import type { Timers } from '@plazo/adapters/internal/system'
import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { problem } from './problem.ts'

/** `id`: grows with each event, and is where a reader resumes. */
export type LiveEvent = { readonly id: number; readonly type: string; readonly data: unknown }

/**
 * The events after this id, oldest first. Null: they cannot be read now, and are read again later.
 */
export type ReadAfter = (id: number) => Promise<readonly LiveEvent[] | null>

// Events that other processes cause are found by polling.
const POLL_MILLIS = 1_000
// More may follow at once. Reads that never wait for anything would keep everybody else waiting.
const PAUSE_MILLIS = 50
const HEARTBEAT_MILLIS = 15_000
// A reader that takes nothing for this long loses its stream, and resumes later where it was.
const SLOW_MILLIS = 15_000
const PER_ACCOUNT = 8

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Tells a proxy not to buffer the stream.
  'x-accel-buffering': 'no',
}

/** Where a browser resumes: by the header after a break, by the query on a first request. */
const startOf = (c: Context): number | null => {
  const after = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? 0)
  return Number.isSafeInteger(after) && after >= 0 ? after : null
}

const socketAnswer = (c: Context) => ((c.env ?? {}) as Partial<HttpBindings>).outgoing

/**
 * Ends a streamed answer that could not be read completely. Its status has been sent by then, so only
 * a broken connection tells the client.
 */
export const breakOff = (c: Context): void => {
  const outgoing = socketAnswer(c)
  if (outgoing === undefined) throw new Error('The answer could not be read completely.')
  outgoing.destroy()
}

export type EventStreams = ReturnType<typeof eventStreams>

export const eventStreams = ({ after: startTimer, monotonicNow }: Timers) => {
  /** The open streams, each with its account. */
  const open = new Map<SSEStreamingApi, string>()
  let isStopped = false

  const writeEvents = async (stream: SSEStreamingApi, readAfter: ReadAfter, start: number) => {
    let last = start
    let wroteAt = monotonicNow()
    const write = async (text: string): Promise<void> => {
      const slow = startTimer(SLOW_MILLIS, () => stream.abort())
      await stream.write(`${text}\n\n`)
      slow.cancel()
      wroteAt = monotonicNow()
    }
    while (!isStopped && !stream.aborted) {
      const events = (await readAfter(last)) ?? []
      for (const { id, type, data } of events) {
        await write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}`)
        last = id
      }
      if (monotonicNow() - wroteAt >= HEARTBEAT_MILLIS) await write(': waiting')
      const pause = events.length > 0 ? PAUSE_MILLIS : POLL_MILLIS
      await new Promise<void>((resolve) => startTimer(pause, resolve))
    }
  }

  /**
   * Answers with the events until the reader leaves.
   *
   * @param account whose streams are counted together
   */
  const respond = (c: Context, account: string, readAfter: ReadAfter): Response => {
    const start = startOf(c)
    if (start === null) return problem(c, 400, 'after must be the number of an event.')
    // The answer to a HEAD has no body, so nobody would read or close a stream.
    if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
    if ([...open.values()].filter((each) => each === account).length >= PER_ACCOUNT) {
      const detail = 'This account follows too many orders at once. Close one of its pages.'
      return problem(c, 429, detail, { 'retry-after': '10' })
    }
    const { body } = streamSSE(c, async (stream) => {
      open.set(stream, account)
      // A stream stays open for hours, so it is not one of the account's reads in progress.
      c.get('endRead')?.()
      stream.onAbort(() => {
        open.delete(stream)
        // Otherwise a client that reads nothing would keep its connection and its unsent data, and
        // a stopping server would wait.
        const outgoing = socketAnswer(c)
        if (outgoing?.writableNeedDrain) outgoing.destroy()
      })
      // A browser connects again after a stream that has ended, and then reaches another server.
      // After an error it would not.
      await writeEvents(stream, readAfter, start).catch(() => {})
      open.delete(stream)
    })
    return new Response(body, { headers: STREAM_HEADERS })
  }

  return {
    respond,
    /** Ends all streams at once. */
    stop: (): void => {
      isStopped = true
      for (const stream of [...open.keys()]) stream.abort()
    },
  }
}
