// Runs the way to a state of the statechart, so that a reader sees an order there without a
// purchase of their own. It acts as the demo shop, its shopper and the operator, with the same
// requests and the same clock. Sandbox rules, Runs.

import { SANDBOX_CODE } from '@plazo/adapters/sandbox'
import type { WireNames } from '@plazo/core'
import {
  findOrderPath,
  type Guide,
  type GuideStep,
  MACHINE_MAP,
  type PathLine,
  person,
  type StateRunProgress,
} from '@plazo/server/internal'
import type * as t from 'io-ts'
import type { Advanced, DemoOrderPlaced, Timeline } from './protocol.ts'

/** `title`: the state's name. */
export type StateWay = Guide & {
  readonly id: string
  readonly title: string
  readonly trigger: string
}

type RunToState = (way: StateWay, report: (progress: StateRunProgress) => void) => Promise<void>

type RunParts = {
  /** Sends a request to this server. */
  readonly call: (path: string, init: RequestInit) => Promise<Response>
  readonly baseUrl: string
  readonly names: WireNames
  readonly operatorPassword: string
}

/** The answers of the demo shop that a way needs, by the event that they cause. */
const SHOP_ANSWERS: { readonly [event: string]: string } = {
  'ipn.erred': 'error',
  'ipn.conflicted': 'conflict',
  'cancel.refused': 'toolate',
  'cancel.deferred': 'retry',
  'cancel.unsupported': 'unsupported',
  'cancel.exhausted': 'error',
}

const DECISIONS: { readonly [event: string]: string } = {
  'review.approved': 'approve',
  'review.rejected': 'reject',
  'cancellation.requested': 'request-cancellation',
  'order.cancelled': 'cancel',
}

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

// Enough for the 24 attempts of a week and the timers between them.
const MOVES_MAX = 100

/** An order that leaves the state within this time is shown at the event that led there. */
const SOON_MILLIS = 4_000

type Json = Readonly<Record<string, unknown>>

const isLine = ({ event, value }: GuideStep, line: PathLine): boolean =>
  line.event === event && (event !== 'timer.fired' || line.detail === value)

export const createStateRuns = ({
  call,
  baseUrl,
  names,
  operatorPassword,
}: RunParts): RunToState => {
  const request = async <A = Json>(path: string, init: RequestInit = {}): Promise<A> => {
    const answer = await call(path, init)
    const text = (await answer.text()).trim()
    // An advance that fails on the way has begun its answer with 200.
    const isProblem = !answer.ok || text.startsWith('{"type"')
    if (isProblem)
      throw new Error(`${init.method ?? 'GET'} ${path} answered ${answer.status}: ${text}`)
    // This server's own answer. The sandbox's rules say what it is.
    return JSON.parse(text) as A
  }

  const post = <A = Json>(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<A> =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  /** Posts to one of this server's own pages. */
  const postForm = (url: unknown, fields: Readonly<Record<string, string>>): Promise<Json> =>
    request(String(url).slice(baseUrl.length), {
      method: 'POST',
      body: new URLSearchParams(fields),
    })

  const place = async ({ steps }: StateWay): Promise<string> => {
    const answerTo = (kind: string) =>
      SHOP_ANSWERS[steps.find(({ event }) => event?.startsWith(kind))?.event ?? '']
    const isUnanswered = steps.at(-1)?.event === null
    const receiver = (name: string, answer: string | undefined) =>
      `${baseUrl}/demo/${name}${answer === undefined ? '' : `?answer=${answer}`}`
    const { order_ref } = await post<t.TypeOf<typeof DemoOrderPlaced>>('/sandbox/demo/orders', {
      product: productOf(steps),
      shop: {
        notify_url: receiver('notify', answerTo('ipn.')),
        events_url: receiver('events', isUnanswered ? 'error' : answerTo('cancel.')),
      },
    })
    return order_ref
  }

  const act = async (
    orderRef: string,
    step: GuideStep,
    { steps, trigger }: StateWay,
  ): Promise<unknown> => {
    const checkout = `/api/v1/checkout/${orderRef}`
    const submit = (extra: object) =>
      post(`${checkout}/identification`, {
        ...person(names),
        ...(trigger !== '' && { surnames: trigger }),
        dob_day: steps.some(({ value }) => value === 'later') ? '31' : '01',
        credit_agreement: { product: productOf(steps), instalment_count: 1 },
        ...extra,
      })
    const decision = DECISIONS[step.event ?? '']
    if (decision !== undefined)
      return post(
        `/console/orders/${orderRef}/${decision}`,
        {},
        {
          authorization: `Basic ${Buffer.from(`operator:${operatorPassword}`).toString('base64')}`,
        },
      )
    switch (step.event) {
      case 'person.submitted':
        return submit({})
      case 'code.submitted':
        return submit({ validation_code: SANDBOX_CODE })
      case 'payment.succeeded':
        return postForm((await request(`${checkout}/wait`)).iframe_url, CARD)
      case 'session.reported':
        // The other results come by themselves.
        return step.value === 'ERROR'
          ? postForm((await request(`${checkout}/wait`)).session_url, { status: 'ERROR' })
          : undefined
      default:
        return undefined
    }
  }

  const advance = (seconds: number) => post<Advanced>('/sandbox/clock/advance', { seconds })
  const demo = (orderRef: string) => `/sandbox/demo/orders/${orderRef}`
  const readLines = async (orderRef: string) =>
    (await request<{ readonly history: readonly PathLine[] }>(`${demo(orderRef)}/history`)).history

  /** How long the order's pending jobs are away, in milliseconds. */
  const readDelays = async (orderRef: string): Promise<readonly number[]> => {
    const { now, upcoming } = await request<Timeline>(`${demo(orderRef)}/timeline`)
    return upcoming.map(({ at }) => Math.max(0, Date.parse(at) - Date.parse(now)))
  }

  /**
   * Moves the clock from job to job of the order until the step's event is there. Resolves to the
   * number of its line.
   */
  const waitFor = async (orderRef: string, step: GuideStep, after: number): Promise<number> => {
    let seconds = 0
    for (let moves = 0; moves < MOVES_MAX; moves++) {
      await advance(seconds)
      const line = (await readLines(orderRef)).find(
        (each) => each.seq > after && isLine(step, each),
      )
      if (line !== undefined) return line.seq
      const delays = await readDelays(orderRef)
      if (delays.length === 0) break
      seconds = Math.min(...delays) / 1_000
    }
    throw new Error(`the event ${step.event} did not happen.`)
  }

  /** Null if the order is in the state and stays there. Otherwise the event that led it there. */
  const findEvent = async (orderRef: string, { id, title }: StateWay): Promise<number | null> => {
    const path = findOrderPath(MACHINE_MAP, await readLines(orderRef))
    const isIn = (active: readonly string[]) =>
      active.some((each) => each === id || each.startsWith(`${id}.`))
    const reached = path.findLast(
      ({ active, arrows }) => isIn(active) || arrows.some((arrow) => arrow.endsWith(` ${id}`)),
    )
    const last = path.at(-1)
    if (reached === undefined)
      throw new Error(`The order is in ${last?.active.join(', ')}, and was never in ${title}.`)
    const stays = (await readDelays(orderRef)).every((millis) => millis > SOON_MILLIS)
    return reached === last && isIn(reached.active) && stays ? null : reached.seq
  }

  const run: RunToState = async (way, report) => {
    let progress: StateRunProgress = {
      status: 'running',
      order_ref: null,
      done: 0,
      event: null,
      detail: null,
    }
    const update = (changes: Partial<StateRunProgress>): void => {
      progress = { ...progress, ...changes }
      report(progress)
    }
    let doing = 'Place the order.'
    try {
      const orderRef = await place(way)
      update({ order_ref: orderRef })
      let seq = 0
      for (const [index, step] of way.steps.entries()) {
        doing = step.words
        await act(orderRef, step, way)
        if (step.event !== null) seq = await waitFor(orderRef, step, seq)
        update({ done: index + 1 })
      }
      doing = 'Look where the order is.'
      update({ status: 'reached', event: await findEvent(orderRef, way) })
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      update({ status: 'failed', detail: `“${doing}” failed: ${reason}` })
    }
  }

  // One after another, because each moves the clock for all orders.
  let last: Promise<void> = Promise.resolve()
  return (way, report) => {
    last = last.then(() => run(way, report))
    return last
  }
}

const productOf = (steps: readonly GuideStep[]): string =>
  steps.some(({ value }) => value === 'fp1') ? 'fp1' : 'i1'
