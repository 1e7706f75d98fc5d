// Keeps the last requests about orders and the last answers of providers for the timelines, in memory
// only: they hold what shoppers typed. Sandbox rules, Timeline.
import type { EffectKind } from '@plazo/core'
import {
  type Clock,
  mapProviderCalls,
  type ProviderRequest,
  type Providers,
  reply,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { redact } from './redact.ts'

export type RecordedRequest = {
  readonly type: 'request'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
  readonly answer: unknown
}

export type RecordedContent =
  | RecordedRequest
  | {
      readonly type: 'provider'
      /** The kind of the effect: `screening`, `sms`, … */
      readonly effect: string
      readonly answer: unknown
    }

/** `at`: when it began, domain time. */
export type RecordedEntry = {
  readonly id: number
  readonly orderRef: string
  readonly at: number
  readonly content: RecordedContent
}

export type Recorder = ReturnType<typeof createRecorder>

const ENTRIES_MAX = 2_000
const CHARS_MAX = 8 * 1024 * 1024
const CONTENT_CHARS_MAX = 64 * 1024

export const createRecorder = (clock: Clock) => {
  const entries = new Map<RecordedEntry, number>()
  let chars = 0
  // No id of an earlier process comes again.
  let lastId = clock.now()

  const drop = (entry: RecordedEntry): void => {
    chars -= entries.get(entry) ?? 0
    entries.delete(entry)
  }

  return {
    record: (orderRef: string, recorded: RecordedContent, at = clock.now()): void => {
      // Redaction keeps the shape.
      const content = redact(recorded) as RecordedContent
      const { length } = JSON.stringify(content)
      if (length > CONTENT_CHARS_MAX) return
      lastId += 1
      entries.set({ id: lastId, orderRef, at, content }, length)
      chars += length
      for (const oldest of entries.keys()) {
        if (entries.size <= ENTRIES_MAX && chars <= CHARS_MAX) break
        drop(oldest)
      }
    },
    /** Those of an order with a greater id than `after`, oldest first. */
    list: (orderRef: string, after = 0): readonly RecordedEntry[] =>
      [...entries.keys()].filter((entry) => entry.orderRef === orderRef && entry.id > after),
    /** The order's shopper was erased. */
    forget: (orderRef: string): void => {
      for (const entry of entries.keys()) if (entry.orderRef === orderRef) drop(entry)
    },
  }
}

/**
 * Records the answers. It leaves out the requests: they hold the shopper's data, which the timeline
 * already has in the shopper's own request.
 */
export const recordProviders = (recorder: Recorder, providers: Providers): Providers =>
  mapProviderCalls(providers, (call) => (request) => async () => {
    const answered = await call(request)()
    const answer = E.isLeft(answered) ? reply({ error: answered.left.message }) : answered.right
    // Asking again later is not an answer.
    if (answer.type === 'answer') {
      const { orderRef, payload }: ProviderRequest<EffectKind> = request
      recorder.record(orderRef, { type: 'provider', effect: payload.kind, answer: answer.value })
    }
    return answered
  })
