// Answers with a stream of event-stream.ts, which has no end of its own: a HEAD must not open
// one, and a client that is gone must not keep its connection.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { EventStreams, LiveSource } from './event-stream.ts'
import { problem } from './problem.ts'

/** Where a browser resumes: by the header after a break, by the query on a first request. */
const startOf = (c: Context): number | null => {
  const after = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? 0)
  return Number.isSafeInteger(after) && after >= 0 ? after : null
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Tells a proxy not to buffer the stream.
  'x-accel-buffering': 'no',
}

/**
 * Ends a streamed answer that could not be read completely. Its status has been sent by then, so only
 * a broken connection tells the client.
 */
export const breakOff = (c: Context): void => {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  if (outgoing === undefined) throw new Error('The answer could not be read completely.')
  outgoing.destroy()
}

/** `account`: the one whose streams are counted together. */
export const respondStream = (
  c: Context,
  streams: EventStreams,
  account: string,
  source: LiveSource,
): Response => {
  const after = startOf(c)
  if (after === null) return problem(c, 400, 'after must be the number of an event.')
  // The answer to a HEAD has no body, so nobody would read or close a stream.
  if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  const onClose = (): void => {
    // Otherwise a client that reads nothing would keep its connection and its unsent data, and a
    // stopping server would wait.
    if (outgoing?.writableNeedDrain) outgoing.destroy()
  }
  const stream = streams.open(account, { ...source, onClose }, after)
  if (stream === null)
    return problem(
      c,
      429,
      'This account follows too many orders at once. Close one of its pages.',
      {
        'retry-after': '10',
      },
    )
  return c.body(stream, 200, STREAM_HEADERS)
}
