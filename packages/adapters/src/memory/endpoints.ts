// Counts attempts and lost orders by endpoint in memory.
import {
  type Endpoint,
  type EndpointHour,
  type EndpointKind,
  type Endpoints,
  queueNameOf,
  type Report,
} from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { JobRow } from '../rows/rows.ts'
import { calledUrl, createAddressLimit, HOUR_MILLIS } from '../sql/endpoint-counts.ts'

type Writable<A> = { -readonly [name in keyof A]: A[name] }

const byKey = (a: readonly unknown[], b: readonly unknown[]): number => {
  const [one, other] = [a.join('\n'), b.join('\n')]
  return one < other ? -1 : one > other ? 1 : 0
}

export const memoryEndpoints = () => {
  const addressFor = createAddressLimit()
  const endpoints = new Map<string, Writable<Endpoint>>()
  const goodness = new Map<string, boolean>()
  const hours = new Map<string, Writable<EndpointHour>>()

  const endpointOf = (merchantRef: string, kind: EndpointKind): Writable<Endpoint> => {
    const key = `${kind} ${merchantRef}`
    const found = endpoints.get(key) ?? {
      merchantRef,
      kind,
      lastGoodAt: null,
      failingSince: null,
      failures: 0,
    }
    endpoints.set(key, found)
    return found
  }

  const noteGoodness = (merchantRef: string, kind: EndpointKind, isGood: boolean): void => {
    endpointOf(merchantRef, kind)
    goodness.set(`${kind} ${merchantRef}`, isGood)
  }

  const hourOf = (
    merchantRef: string,
    kind: EndpointKind,
    url: string,
    at: number,
  ): Writable<EndpointHour> => {
    const address = addressFor(merchantRef, kind, url)
    const hour = at - (at % HOUR_MILLIS)
    const key = [merchantRef, kind, address, hour].join('\n')
    const found = hours.get(key) ?? {
      merchantRef,
      kind,
      address,
      hour,
      attempts: 0,
      failures: 0,
      lost: 0,
      lastAt: at,
      lastStatus: null,
      lastError: null,
    }
    hours.set(key, found)
    return found
  }

  return {
    countAttempt: (
      { merchantRef, effect }: JobRow,
      startedAt: number,
      report: Report | undefined,
    ): void => {
      const queue = queueNameOf(effect.payload.kind)
      const url = calledUrl(report ?? null)
      if (queue === 'work' || report === undefined || url === null) return
      const { status, error } = report
      const hour = hourOf(merchantRef, queue, url, startedAt)
      hour.attempts += 1
      Object.assign(hour, { lastAt: startedAt, lastStatus: status, lastError: error })
      const endpoint = endpointOf(merchantRef, queue)
      if (error === null) {
        const lastGoodAt = Math.max(endpoint.lastGoodAt ?? 0, startedAt)
        Object.assign(endpoint, { lastGoodAt, failingSince: null, failures: 0 })
      } else {
        hour.failures += 1
        endpoint.failures += 1
        endpoint.failingSince ??= startedAt
      }
    },
    countLost: (merchantRef: string, url: string, at: number): void => {
      hourOf(merchantRef, 'ipn', url, at).lost += 1
    },
    /** Null: the merchant was never called. */
    isGood: (merchantRef: string, kind: EndpointKind): boolean | null =>
      goodness.get(`${kind} ${merchantRef}`) ?? null,
    noteGoodness,
    port: (waiting: (merchantRef: string, kind: EndpointKind) => number): Endpoints => ({
      list: ({ merchantRef, isFailing, limit }) =>
        TE.fromIO(() =>
          [...endpoints.values()]
            .filter(
              (each) =>
                (merchantRef === null || each.merchantRef === merchantRef) &&
                (!isFailing || each.failingSince !== null),
            )
            .sort((a, b) => byKey([a.merchantRef, a.kind], [b.merchantRef, b.kind]))
            .sort((a, b) => (isFailing ? (a.failingSince ?? 0) - (b.failingSince ?? 0) : 0))
            .slice(0, limit)
            .map((each) => ({ ...each })),
        ),
      hours: (merchantRefs, since) =>
        TE.fromIO(() =>
          [...hours.values()]
            .filter((each) => each.hour >= since && merchantRefs.includes(each.merchantRef))
            .map((each) => ({ ...each })),
        ),
      waiting: (merchantRef, kind) => TE.fromIO(() => waiting(merchantRef, kind)),
      dropHours: (before) =>
        TE.fromIO(() => {
          for (const [key, { hour }] of hours) if (hour < before) hours.delete(key)
        }),
    }),
  }
}
