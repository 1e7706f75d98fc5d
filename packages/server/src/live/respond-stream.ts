// Answers a request with a stream of events, with the same refusals wherever a page follows something.
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { problem } from '../http/problem.ts'
import type { EventStreams, LiveSource } from './event-stream.ts'

/** Where a browser resumes: by the header after a break, by the query on a first request. */
const startOf = (c: Context): number | null => {
  const after = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? 0)
  return Number.isSafeInteger(after) && after >= 0 ? after : null
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // A proxy must not hold back what it buffers.
  'x-accel-buffering': 'no',
}

type NodeBindings = { readonly outgoing?: ServerResponse }

/** A client that does not read would otherwise keep its connection, what waits for it, and a server that stops. */
const dropUnread = (c: Context): void => {
  const { outgoing } = (c.env ?? {}) as NodeBindings
  if (outgoing?.writableNeedDrain) outgoing.destroy()
}

/** `account`: the one whose streams are counted together. */
export const respondStream = (c: Context, streams: EventStreams, account: string, source: LiveSource): Response => {
  const after = startOf(c)
  if (after === null) return problem(c, 400, 'after must be the number of an event.')
  // Nobody would read or close the stream of a HEAD.
  if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
  const onClose = (): void => {
    source.onClose?.()
    dropUnread(c)
  }
  const stream = streams.open(account, { ...source, onClose }, after)
  if (stream === null)
    return problem(c, 429, 'This account follows too many orders at once. Close one of its pages.', {
      'retry-after': '10',
    })
  return c.body(stream, 200, STREAM_HEADERS)
}
