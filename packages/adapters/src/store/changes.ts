// Turns a decision about an order and its jobs into the rows that one commit writes.
import {
  type EffectPayload,
  encodePlaced,
  encodeSnapshot,
  encodeState,
  hasSameDetails,
  heldReference,
  isGoodAttempt,
  isWaiting,
  nextAttempt,
  type Order,
  type OrderJob,
  type OrderJobs,
  type Outcome,
  operatorTaskChange,
  orderFacts,
  personKey,
  type Records,
  type Report,
  type StartedAttempt,
  type Step,
} from '@plazo/core/internal'
import type { AttemptRow, EndpointNote, JobRow, LineRow, OrderChange, SnapshotRow } from './base.ts'

/** An attempt of a job that has ended. */
export type EndedAttempt = {
  readonly job: OrderJob
  readonly attempt: StartedAttempt
  readonly outcome: Outcome
  readonly report: Report | null
}

/** What is decided about an order: a step, its jobs afterwards, or both. */
export type Change = {
  readonly step: Step | null
  /** The order that the step was decided on. Null: it is new. */
  readonly before: Order | null
  /** The merchant's request body, with a new order. */
  readonly payload?: string
  readonly jobs: OrderJobs
  /** The payloads of new jobs, by their numbers. */
  readonly work: ReadonlyMap<number, EffectPayload>
  readonly ended: EndedAttempt | null
  readonly code?: OrderChange<string, never>['code']
}

/** The payloads of the jobs that the step adds to `count` others. */
export const workOf = (count: number, { effects }: Step): ReadonlyMap<number, EffectPayload> =>
  new Map(
    effects
      .flatMap((effect) => (effect.type === 'do' ? [effect.payload] : []))
      .map((payload, index) => [count + index + 1, payload]),
  )

/** A person is hashed once, because an order keeps it in most of its steps. */
export const createPersonHash = (hash: Records['hash'] | undefined) => {
  const hashes = new WeakMap<object, string | null>()
  return (order: Order): string | null => {
    const { person } = order.context
    if (person === null || hash === undefined) return null
    const known = hashes.get(person)
    if (known !== undefined) return known
    const key = personKey(order)
    const hashed = key && hash(key)
    hashes.set(person, hashed)
    return hashed
  }
}

type HashPerson = ReturnType<typeof createPersonHash>

const toSnapshot = (
  { order, reference, model, ...step }: Step,
  before: Order | null,
  hashPerson: HashPerson,
): SnapshotRow<string> => ({
  merchant: order.placed.merchant.ref,
  revision: order.revision,
  snapshot: encodeSnapshot(order),
  facts: { ...orderFacts(order, model), person: hashPerson(order) },
  keepsDetails: before !== null && hasSameDetails(before, order),
  reference: heldReference(order, model),
  referenceBefore: before && heldReference(before, model),
  requested: reference,
  task: operatorTaskChange({ order, reference, model, ...step }),
})

export const toLines = ({ journal }: Step): readonly LineRow<string>[] =>
  journal.map(({ from, to, input, ...line }) => ({
    ...line,
    from: encodeState(from),
    to: encodeState(to),
    input: input && JSON.stringify(input),
  }))

const isDelivery = ({ queue }: OrderJob): boolean => queue !== 'work'

const toAttempts = (
  { job, attempt, outcome, report }: EndedAttempt,
  before: OrderJobs,
): AttemptRow<string>[] => {
  if (!isDelivery(job)) return []
  const { durationMillis = null, status = null, error = null } = report ?? {}
  const { errorReason, request, response } = report ?? { response: null }
  return [
    {
      n: job.resendOf ?? job.n,
      number: nextAttempt(before, job),
      cause: attempt.cause ?? 'schedule',
      startedAt: attempt.startedAt,
      outcome,
      durationMillis,
      status,
      error,
      report: report && JSON.stringify({ errorReason, request, response }),
    },
  ]
}

const toEndpoints = ({ job, attempt, report }: EndedAttempt): EndpointNote[] => {
  const isGood = report === null ? null : isGoodAttempt(report)
  if (isGood === null || job.queue === 'work') return []
  const { merchantRef: merchant, queue: kind } = job
  const isAccepted = report?.error === null
  return [{ merchant, kind, startedAt: attempt.startedAt, isAccepted, isGood }]
}

// Deliveries are kept, so that they can be listed and sent again. The journal records all other work.
// A resend ends with its attempt.
const isKept = (job: OrderJob): boolean =>
  isWaiting(job) || (job.resendOf === null && (job.state === 'stuck' || isDelivery(job)))

/** `jobs`: before the change. */
export const toOrderChange = <Key>(
  { ref, row }: Pick<OrderChange<string, Key>, 'ref' | 'row'>,
  jobs: OrderJobs,
  { step, before, payload, jobs: after, work, ended, code }: Change,
  hashPerson: HashPerson,
): OrderChange<string, Key> => {
  const jobsBefore = new Map(jobs.list.map((job) => [job.n, job]))
  const toRow = (job: OrderJob): JobRow<string> => {
    const payloadOfJob = work.get(job.n)
    return { ...job, work: payloadOfJob ? JSON.stringify(payloadOfJob) : null }
  }
  const keptJobs = after.list.filter(isKept)
  return {
    ref,
    row,
    placed:
      payload === undefined || step === null
        ? null
        : {
            merchant: step.order.placed.merchant.ref,
            placed: encodePlaced(step.order.placed),
            payload,
            key: null,
          },
    snapshot: step && toSnapshot(step, before, hashPerson),
    lines: step ? toLines(step) : [],
    jobCount: after.count,
    added: keptJobs.filter(({ n }) => n > jobs.count).map(toRow),
    put: keptJobs
      .filter((job) => jobsBefore.has(job.n) && jobsBefore.get(job.n) !== job)
      .map(toRow),
    dropped: after.list.filter((job) => !isKept(job) && job.n <= jobs.count).map(({ n }) => n),
    attempts: ended ? toAttempts(ended, jobs) : [],
    endpoints: ended ? toEndpoints(ended) : [],
    code,
  }
}

/** The jobs that an order still has after a commit: those that may go on, and deliveries being resent. */
export const withoutEnded = ({ list, count }: OrderJobs): OrderJobs => ({
  list: list
    .filter(
      (job) =>
        isWaiting(job) ||
        (job.state === 'stuck' && job.resendOf === null) ||
        list.some((other) => other.resendOf === job.n && isWaiting(other)),
    )
    .map((job) => (job.message === null ? job : { ...job, message: null })),
  count,
})
