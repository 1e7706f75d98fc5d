// A SQL store reads orders and commits batches of writes (`OrderDatabase`). Writes are plain data,
// because a store encrypts their texts just before it writes them, perhaps in another thread.
import type { Effect, Order, Step } from '@plazo/core'
import {
  type AttemptResult,
  type CompletionResult,
  deliveryEventName,
  effectKeyParts,
  encodePlaced,
  encodeSnapshot,
  encodeState,
  type FinalStatus,
  hasNoPersonalData,
  hasSameDetails,
  heldReference,
  isUnchanged,
  operatorTaskChange,
  orderFacts,
  queueNameOf,
  type ReleasedAs,
  type Report,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Outcome } from './group-commit.ts'

/** An order as a store keeps it. `row`: what the store needs to write it, such as its row number. */
export type StoredOrder<Row> = { readonly order: Order; readonly row: Row }

/** A step, and the order that it was decided on. */
export type DecidedStep<Row> = { readonly step: Step; readonly on: StoredOrder<Row> }

/** The result of a claimed job. */
export type JobResult = {
  readonly orderRef: string
  readonly token: string
  readonly attemptResult: AttemptResult
  readonly report: Report | null
  /** As `isGoodAttempt` of the report. */
  readonly isGood: boolean | null
}

/** One write of a commit. */
export type Write<Row> =
  | { readonly name: 'place'; readonly input: PlaceWrite }
  | { readonly name: 'step'; readonly input: StepWrite<Row> }
  | { readonly name: 'complete'; readonly input: CompletionWrite<Row> }
  | { readonly name: 'release'; readonly input: ReleaseWrite }

/**
 * `{ row }`: the order is placed. `changed`: the order is not as it was when this was decided.
 * `reference_taken`: another order of the merchant holds the reference.
 */
export type WriteResult<Row> =
  | { readonly row: Row }
  | 'done'
  | 'changed'
  | 'reference_taken'
  | CompletionResult

/** The result of a commit. `outcomes`: as `GroupCommitOptions.commit` returns them. */
export type Committed<Result> = {
  readonly outcomes: readonly Outcome<Result>[]
  /** When a claim may find more because of the commit. Infinite: it finds no more. */
  readonly nextDueAt: number
}

export type NamedCommand = { readonly name: string }

/** The interface of a SQL store. `Command`: other work that its commits may run. */
export type OrderDatabase<Row, Command extends NamedCommand> = {
  /**
   * The committed orders among these. Each result throws if its order cannot be decrypted; the
   * others are not affected.
   */
  readonly readOrders: (
    orderRefs: readonly string[],
  ) => Promise<ReadonlyMap<string, () => StoredOrder<Row>>>
  /** Encrypts and commits. A write has a `WriteResult`. */
  readonly commit: (batch: readonly (Write<Row> | Command)[]) => Promise<Committed<unknown>>
}

export type EffectWrite = ReturnType<typeof toEffectWrite>
/** The order after a step, and the lines and effects that the step adds. */
export type OrderWrite = ReturnType<typeof toOrderWrite>
export type PlaceWrite = ReturnType<typeof toPlaceWrite>
export type StepWrite<Row> = ReturnType<typeof toStepWrite<Row>>
export type CompletionWrite<Row> = ReturnType<typeof toCompletionWrite<Row>>
export type ReleaseWrite = Pick<JobResult, 'orderRef' | 'token'> & { readonly as: ReleasedAs }

const toEffectWrite = (effect: Effect) => {
  if (effect.type !== 'do') return effect
  const { key, lane, payload, dueAt, expiresAt, excludes } = effect
  return {
    type: effect.type,
    // The revision comes from the key: if one write holds two steps, their effects have different
    // revisions.
    revision: effectKeyParts(key).revision,
    lane,
    queue: queueNameOf(payload.kind),
    work: JSON.stringify(payload),
    /** True: it is stored unencrypted. */
    hasNoPersonalData: hasNoPersonalData(payload),
    event: deliveryEventName(payload),
    dueAt,
    expiresAt,
    excludes,
  }
}

/** `before`: the order that the step was decided on. Null: it is new. */
const toOrderWrite = (step: Step, before: Order | null) => {
  const { order, journal, effects, reference, model } = step
  return {
    orderRef: order.placed.orderRef,
    merchantRef: order.placed.merchant.ref,
    account: order.placed.merchant.account,
    revision: order.revision,
    snapshot: encodeSnapshot(order),
    facts: orderFacts(order, model),
    /** The step changes none of the facts that `hasSameDetails` compares. */
    keepsDetails: before !== null && hasSameDetails(before, order),
    /** No other order of the merchant may hold it. */
    requestedReference: reference,
    /** The `order_ref_1` that this order holds after the step, and before it. */
    heldReference: heldReference(order, model),
    heldBefore: before && heldReference(before, model),
    at: order.context.updatedAt,
    lines: journal.map(({ seq, at, event, detail, from, to, input }) => ({
      seq,
      at,
      event,
      detail,
      from: encodeState(from),
      to: encodeState(to),
      input: input && JSON.stringify(input),
    })),
    /** Why the order waits for an operator. Null: the step does not change it. */
    taskChange: operatorTaskChange(step),
    effects: effects.map(toEffectWrite),
  }
}

export const toPlaceWrite = (step: Step, payload: string) => ({
  ...toOrderWrite(step, null),
  placed: encodePlaced(step.order.placed),
  payload,
})

export const toStepWrite = <Row>({ step, on }: DecidedStep<Row>) => ({
  ...toOrderWrite(step, on.order),
  row: on.row,
  /** The revision that the step was decided on. */
  expectedRevision: on.order.revision,
})

/**
 * `fault`: why the step cannot be made, so that the job becomes stuck. Null: there is no such
 * reason. `finalStatus`: the final status that the step sets. Null: as `attemptResult` says.
 */
export type CompletionDecision<Row> = {
  readonly decided: DecidedStep<Row> | null
  readonly fault: string | null
  readonly finalStatus: FinalStatus | null
}

export const toCompletionWrite = <Row>(
  result: JobResult,
  { decided, fault, finalStatus }: CompletionDecision<Row>,
) => ({
  ...result,
  fault,
  finalStatus,
  step: decided === null || isUnchanged(decided.step) ? null : toStepWrite(decided),
  /** The order that was decided on, even if the step changes nothing. Null: nothing was decided. */
  decidedOn: decided && { row: decided.on.row, revision: decided.on.order.revision },
})

const WRITES: ReadonlySet<string> = new Set<Write<unknown>['name']>([
  'place',
  'step',
  'complete',
  'release',
])

/** False: another command that a store runs in the commit. */
const isWrite = (command: { readonly name: string }): command is Write<unknown> =>
  WRITES.has(command.name)

const NOT_APPLIED: ReadonlySet<unknown> = new Set(['changed', 'reference_taken', 'lost', 'stuck'])

/** True if the write has added lines to an order's journal. */
const isStepCommitted = (write: Write<unknown>, result: unknown): boolean => {
  if (write.name === 'release' || NOT_APPLIED.has(result)) return false
  const step = write.name === 'complete' ? write.input.step : write.input
  return step !== null && step.lines.length > 0
}

/** How many steps of orders a commit has written. */
export const countSteps = (
  batch: readonly NamedCommand[],
  { outcomes }: Committed<unknown>,
): number =>
  batch.filter((each, n) => {
    const outcome = outcomes[n] ?? null
    return (
      isWrite(each) &&
      outcome !== null &&
      E.isRight(outcome) &&
      isStepCommitted(each, outcome.right)
    )
  }).length
