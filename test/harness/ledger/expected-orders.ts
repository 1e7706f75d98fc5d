// Remembers what a run has seen of every order and compares it with the file after each kill.
// Nothing that was answered or stored before may be lost or changed.
import type { OrderState } from '@plazo/core'
import { metaOf, nameOnWire } from '@plazo/core/machine'
import { decodeStored } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { HistoryLineOnWire } from '../shop.ts'
import type { DatabaseSnapshot, Line, StoredRow } from './sqlite-snapshot.ts'

/** The answers that a client received about an order, in order. */
export type ClientAnswer =
  | { readonly type: 'wait' | 'identification'; readonly action: string }
  | { readonly type: 'state'; readonly state: HistoryLineOnWire['to'] }
  | { readonly type: 'event'; readonly event: string }

/** A client's memory of its order. */
export type ClientMemory = {
  /** Of its path, for the messages. */
  readonly name: string
  /** Empty until a 204 has named it. */
  orderRef: string
  readonly answers: ClientAnswer[]
  /** True once the client asks nothing more. */
  hasEnded: boolean
}

export type ExpectedOrders = {
  /** Returns one sentence per violation. Checks the orders that still changed, or all of them. */
  readonly check: (
    snapshot: DatabaseSnapshot,
    journeys: readonly ClientMemory[],
    which: 'moving' | 'all',
  ) => readonly string[]
}

type SeenJournal = { readonly lines: string[]; isUnchanged: boolean }

const stateOf = (text: string): OrderState => {
  const [checkout, risk, cancellation] = text.split(' ')
  return { checkout, risk, cancellation } as OrderState
}

const matchesLine = (answer: ClientAnswer, line: Line): boolean => {
  const state = stateOf(line.to)
  const { wait = 'show_error', identification = wait } = metaOf('checkout', state)
  switch (answer.type) {
    case 'wait':
      return answer.action === wait
    case 'identification':
      return answer.action === identification
    case 'event':
      return answer.event === line.event
    case 'state':
      return (
        answer.state.checkout === nameOnWire('checkout', state) &&
        answer.state.risk === nameOnWire('risk', state) &&
        answer.state.cancellation === nameOnWire('cancellation', state)
      )
  }
}

/**
 * Compares what a client saw, in order, with the journal, in order. Returns the first fact that the
 * journal does not contain.
 */
const firstContradiction = (
  lines: readonly Line[],
  answers: readonly ClientAnswer[],
): ClientAnswer | null => {
  let at = 0
  let lastEventAt = -1
  for (const fact of answers) {
    const from = fact.type === 'event' ? Math.max(at, lastEventAt + 1) : at
    const place = lines.findIndex((line, index) => index >= from && matchesLine(fact, line))
    if (place < 0) return fact
    at = place
    if (fact.type === 'event') lastEventAt = place
  }
  return null
}

const textOf = ({ seq, at, event, detail, from, to, input }: Line): string =>
  JSON.stringify([seq, at, event, detail, from, to, input])

const chainFaults = (row: StoredRow, lines: readonly Line[]): readonly string[] => {
  const { orderRef } = row
  const last = lines.at(-1)
  const stored = decodeStored(row)
  if (E.isLeft(stored)) return [`${orderRef} cannot be read: ${stored.left.join(' ')}`]
  const { state } = stored.right
  return [
    ...lines.flatMap(({ seq, from }, index) => [
      ...(seq === index + 1
        ? []
        : [`${orderRef}: line ${index + 1} of its journal has seq ${seq}.`]),
      ...(index === 0 || from === lines[index - 1]?.to
        ? []
        : [`${orderRef}: line ${seq} begins where none ended.`]),
    ]),
    ...(last?.seq === row.revision
      ? []
      : [`${orderRef} is at revision ${row.revision}, its journal at ${last?.seq}.`]),
    ...(last?.to === `${state.checkout} ${state.risk} ${state.cancellation}`
      ? []
      : [`${orderRef} is ${state.checkout} and its journal says ${last?.to}.`]),
  ]
}

export const expectedOrders = (): ExpectedOrders => {
  const seenOf = new Map<number, SeenJournal>()

  const checkGrowth = (
    { id, orderRef }: StoredRow,
    lines: readonly Line[],
    texts: readonly string[],
  ): readonly string[] => {
    const history = seenOf.get(id) ?? { lines: [], isUnchanged: false }
    const isPrefix = history.lines.every((line, index) => line === texts[index])
    seenOf.set(id, { lines: [...texts], isUnchanged: texts.length === history.lines.length })
    return isPrefix
      ? []
      : [
          `${orderRef}: its journal had ${history.lines.length} lines, and they are not those of now (${lines.length}).`,
        ]
  }

  return {
    check: (snapshot, journeys, which) => {
      const rows = snapshot.orders()
      const byRef = new Map(
        journeys.filter(({ orderRef }) => orderRef !== '').map((it) => [it.orderRef, it]),
      )
      const ids = new Set(rows.map(({ id }) => id))
      const refs = new Set(rows.map(({ orderRef }) => orderRef))
      const faults = [
        ...[...seenOf.keys()]
          .filter((id) => !ids.has(id))
          .map((id) => `The order in row ${id} is gone.`),
        ...[...byRef.keys()]
          .filter((ref) => !refs.has(ref))
          .map((ref) => `${ref} was placed with a 204, and is gone.`),
      ]
      for (const row of rows) {
        const journey = byRef.get(row.orderRef)
        const rests =
          seenOf.get(row.id)?.isUnchanged === true && (journey === undefined || journey.hasEnded)
        if (which === 'moving' && rests) continue
        const lines = snapshot.lines(row.id)
        faults.push(...chainFaults(row, lines), ...checkGrowth(row, lines, lines.map(textOf)))
        const untrue = journey === undefined ? null : firstContradiction(lines, journey.answers)
        if (untrue !== null)
          faults.push(
            `${row.orderRef} (${journey?.name}): received ${JSON.stringify(untrue)}, of which its journal knows nothing.`,
          )
      }
      return faults
    },
  }
}
