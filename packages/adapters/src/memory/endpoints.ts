// Judges shops by endpoint in memory.
import {
  type Endpoint,
  type EndpointKind,
  type Endpoints,
  isGoodAttempt,
  queueNameOf,
  type Report,
} from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { JobRow } from '../rows/rows.ts'

/** `isGood` null: the endpoint was never called. */
type EndpointRow = Endpoint & { readonly isGood: boolean | null }

const nameOf = ({ merchantRef, kind }: Endpoint): string => `${merchantRef}\n${kind}`

export const memoryEndpoints = () => {
  const rows = new Map<string, EndpointRow>()
  const find = (merchantRef: string, kind: EndpointKind) => rows.get(`${kind} ${merchantRef}`)

  const change = (
    merchantRef: string,
    kind: EndpointKind,
    changes: (row: EndpointRow) => Partial<EndpointRow>,
  ): void => {
    const blank = {
      merchantRef,
      kind,
      lastGoodAt: null,
      failingSince: null,
      failures: 0,
      isGood: null,
    }
    const row = find(merchantRef, kind) ?? blank
    rows.set(`${kind} ${merchantRef}`, { ...row, ...changes(row) })
  }

  return {
    noteAttempt: (
      { merchantRef, effect }: JobRow,
      startedAt: number,
      report: Report | undefined,
    ): void => {
      const queue = queueNameOf(effect.payload.kind)
      if (queue === 'work' || report === undefined || isGoodAttempt(report) === null) return
      change(merchantRef, queue, ({ lastGoodAt, failingSince, failures }) =>
        report.error === null
          ? { lastGoodAt: Math.max(lastGoodAt ?? 0, startedAt), failingSince: null, failures: 0 }
          : { failingSince: failingSince ?? startedAt, failures: failures + 1 },
      )
    },
    isGood: (merchantRef: string, kind: EndpointKind): boolean | null =>
      find(merchantRef, kind)?.isGood ?? null,
    noteGoodness: (merchantRef: string, kind: EndpointKind, isGood: boolean): void =>
      change(merchantRef, kind, () => ({ isGood })),
    port: (waiting: (merchantRef: string, kind: EndpointKind) => number): Endpoints => ({
      list: ({ merchantRef, isFailing, limit }) =>
        TE.fromIO(() =>
          [...rows.values()]
            .filter((row) => merchantRef === null || row.merchantRef === merchantRef)
            .filter(({ failingSince }) => !isFailing || failingSince !== null)
            .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
            .sort((a, b) => (isFailing ? (a.failingSince ?? 0) - (b.failingSince ?? 0) : 0))
            .slice(0, limit)
            .map(({ isGood: _, ...endpoint }) => endpoint),
        ),
      waiting: (merchantRef, kind) => TE.fromIO(() => waiting(merchantRef, kind)),
    }),
  }
}
