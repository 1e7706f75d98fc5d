// Promises that a long listing holds up nobody: it is built and sent in slices, between which the
// event loop is free. No more is written to a connection than its client has read.

import type { HttpBindings } from '@hono/node-server'
import { deliveryView, type EncodedDelivery, historyLine, type OrderHistory } from '@plazo/core'
import type { Delivery } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { Context } from 'hono'
import { yieldToEventLoop } from './event-loop.ts'

/** Bytes of an answer that are built at once, unless a single value takes more. */
export const SLICE_BYTES = 64 * 1024

type Headers = Readonly<Record<string, string>>

/** Text as bytes, in chunks of about `SLICE_BYTES`. */
const createChunkedText = () => {
  const chunks: Buffer[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') chunks.push(Buffer.from(text))
    text = ''
  }
  return {
    /** Resolves in another turn of the event loop whenever a chunk is full. */
    add: async (more: string): Promise<void> => {
      text += more
      if (text.length < SLICE_BYTES) return
      flush()
      await yieldToEventLoop()
    },
    end: (): readonly Buffer[] => {
      flush()
      return chunks
    },
  }
}

const totalBytes = (chunks: readonly Uint8Array[]): number =>
  chunks.reduce((sum, { length }) => sum + length, 0)

// A client on the same machine would take all chunks at once, without a turn of the event loop in
// between.
async function* oneInEachTurn(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await yieldToEventLoop()
    yield chunk
  }
}

/**
 * A JSON answer whose bytes are complete, so that its length is known. No more of it is written to
 * the connection than its client reads.
 */
export const respondWithChunks = (
  c: Context,
  chunks: readonly Buffer[],
  headers: Headers = {},
): Response => {
  const length = totalBytes(chunks)
  const all = { 'content-type': 'application/json', 'content-length': String(length), ...headers }
  // A Response takes a copy in an ArrayBuffer of its own; the copy is small.
  if (length <= SLICE_BYTES) return c.body(new Uint8Array(Buffer.concat(chunks)), 200, all)
  return c.body(ReadableStream.from(oneInEachTurn(chunks)), 200, all)
}

/**
 * The faults of a delivery's attempts that were intended, by the attempt's number.
 */
export type AttemptFaults = (
  deliveryId: string,
  attempts: readonly { readonly n: number; readonly startedAt: number }[],
) => ReadonlyMap<number, string>

/**
 * Encodes a delivery as JSON attempt by attempt, because it may be long: 50 answers of 16 KiB may
 * take 5 MB once their control characters are escaped. `bytes`: the length as it is sent, after
 * escaping.
 */
export const encodeDelivery =
  (
    delivery: Delivery,
    faultsOf: AttemptFaults = () => new Map(),
  ): Task<EncodedDelivery<readonly Buffer[]>> =>
  async () => {
    const { attempts, ...head } = deliveryView(delivery)
    const faults = faultsOf(delivery.id, delivery.attempts)
    const text = createChunkedText()
    await text.add(`${JSON.stringify(head).slice(0, -1)},"attempts":[`)
    for (const [index, attempt] of attempts.entries()) {
      const drill = faults.get(attempt.n)
      const view = drill === undefined ? attempt : { ...attempt, drill }
      await text.add(`${index > 0 ? ',' : ''}${JSON.stringify(view)}`)
    }
    await text.add(']}')
    const chunks = text.end()
    return { encoded: chunks, bytes: totalBytes(chunks) }
  }

const COMMA = Buffer.from(',')

/** A JSON array of deliveries that `encodeDelivery` encoded. */
export const joinAsArray = (deliveries: readonly (readonly Buffer[])[]): readonly Buffer[] => [
  Buffer.from('['),
  ...deliveries.flatMap((chunks, n) => (n === 0 ? chunks : [COMMA, ...chunks])),
  Buffer.from(']'),
]

// The status has been sent by then. Only a broken connection tells the client that the answer is
// incomplete.
export const breakOff = (c: Context): void => {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  if (outgoing === undefined) throw new Error('The answer could not be read completely.')
  outgoing.destroy()
}

async function* encodeHistory(
  c: Context,
  { pages, read }: OrderHistory,
): AsyncGenerator<Uint8Array> {
  let before = '['
  for (let page = 0; page < pages; page++) {
    await yieldToEventLoop()
    const lines = await read(page)()
    if (E.isLeft(lines)) return breakOff(c)
    // Old lines may have been deleted in the meantime.
    if (lines.right.length === 0) continue
    yield Buffer.from(
      before + lines.right.map((line) => JSON.stringify(historyLine(line))).join(','),
    )
    before = ','
  }
  yield Buffer.from(before === '[' ? '[]' : ']')
}

/**
 * Streams an order's history, so that a long one is never in memory as a whole: each page is read
 * when the page before it has been sent. The history as an array, oldest line first. Contract §3.
 */
export const streamHistory = (c: Context, history: OrderHistory): Response =>
  c.body(ReadableStream.from(encodeHistory(c, history)), 200, {
    'content-type': 'application/json',
  })
