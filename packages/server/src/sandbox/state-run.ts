// Runs the way to a state of the statechart, so that a reader sees an order there without a
// purchase of their own. It acts as the demo shop, its shopper and the operator, with the same
// requests and the same clock. Sandbox rules, Runs.

import { SANDBOX_CODE } from '@plazo/adapters/internal/sandbox'
import {
  findOrderPath,
  type Guide,
  type GuideStep,
  MACHINE_MAP,
  person,
  readLines,
  type StateRunProgress,
  value,
} from '@plazo/server/internal'
import { DEMO_CARD } from './demo-people.ts'
import type { SandboxServices } from './services.ts'
import { readUpcoming } from './timeline/timeline.ts'

/** The card of a state that has a guide. `title`: the state's name. */
type StateWay = { readonly id: string; readonly title: string; readonly guide: Guide }

type Answer = Readonly<Record<string, unknown>>

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

// Enough for the 24 attempts of a week and the timers between them.
const MOVES_MAX = 100

/** An order that leaves the state within this time is shown at the event that led there. */
const SOON_MILLIS = 4_000

const productOf = (steps: readonly GuideStep[]) =>
  steps.some(({ value }) => value === 'fp1') ? 'fp1' : 'i1'

export const createStateRuns = ({ callApp, baseUrl, host, config, time }: SandboxServices) => {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await callApp(path, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${init.method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }

  const post = (path: string, body: object, authorization = '') =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(body),
    })

  /** Posts to one of this server's own pages. */
  const postForm = (url: unknown, fields: Record<string, string>) =>
    send(String(url).slice(baseUrl.length), { method: 'POST', body: new URLSearchParams(fields) })

  const placeFor = async ({ steps }: Guide): Promise<string> => {
    const urlOf = (receiver: string, kind: string) => {
      const event = steps.find((step) => step.event?.startsWith(kind))?.event ?? ''
      return `${baseUrl}/demo/${receiver}?answer=${SHOP_ANSWERS[event] ?? 'accept'}`
    }
    const isUnanswered = steps.at(-1)?.event === null
    const { order_ref } = await post('/sandbox/demo/orders', {
      product: productOf(steps),
      shop: {
        notify_url: urlOf('notify', 'ipn.'),
        events_url: isUnanswered
          ? `${baseUrl}/demo/events?answer=error`
          : urlOf('events', 'cancel.'),
      },
    })
    return String(order_ref)
  }

  const act = async (
    orderRef: string,
    step: GuideStep,
    { steps, trigger }: Guide,
  ): Promise<unknown> => {
    const checkout = `/api/v1/checkout/${orderRef}`
    const wait = () => send(`${checkout}/wait`, { method: 'GET' })
    const submit = (extra: object) =>
      post(`${checkout}/identification`, {
        ...person(host.terms.names),
        ...(trigger && { surnames: trigger }),
        dob_day: steps.some(({ value }) => value === 'later') ? '31' : '01',
        credit_agreement: { product: productOf(steps), instalment_count: 1 },
        ...extra,
      })
    const decision = DECISIONS[step.event ?? '']
    if (decision !== undefined) {
      const operator = Buffer.from(`operator:${config.operatorPassword}`).toString('base64')
      return post(`/console/orders/${orderRef}/${decision}`, {}, `Basic ${operator}`)
    }
    switch (step.event) {
      case 'person.submitted':
        return submit({})
      case 'code.submitted':
        return submit({ validation_code: SANDBOX_CODE })
      case 'payment.succeeded':
        return postForm((await wait()).iframe_url, DEMO_CARD)
      case 'session.reported':
        // The other results come by themselves.
        return step.value === 'ERROR' && postForm((await wait()).session_url, { status: 'ERROR' })
      default:
        return undefined
    }
  }

  const readHistory = async (orderRef: string) => {
    const order = await value(host.store.read(orderRef))
    return (await readLines(host.store)(order)).history
  }

  /** How long the order's pending jobs are away, in milliseconds. */
  const readDelays = async (orderRef: string): Promise<readonly number[]> => {
    const order = await value(host.store.read(orderRef))
    const now = host.clock.now()
    const upcoming = await readUpcoming(host)(order)
    return upcoming.map(({ at }) => Math.max(0, Date.parse(at) - now))
  }

  /**
   * Moves the clock from job to job of the order until the step's event is there. Resolves to the
   * number of its line.
   */
  const waitFor = async (orderRef: string, step: GuideStep, after: number): Promise<number> => {
    let delays: readonly number[] = [0]
    for (let moves = 0; moves < MOVES_MAX && delays.length > 0; moves += 1) {
      await time.advance(Math.min(...delays))
      const line = (await readHistory(orderRef)).find(
        ({ seq, event, detail }) =>
          seq > after && event === step.event && (event !== 'timer.fired' || detail === step.value),
      )
      if (line !== undefined) return line.seq
      delays = await readDelays(orderRef)
    }
    throw new Error(`the event ${step.event} did not happen.`)
  }

  /** Null if the order is in the state and stays there. Otherwise the event that led it there. */
  const findEvent = async (orderRef: string, { id, title }: StateWay): Promise<number | null> => {
    const path = findOrderPath(MACHINE_MAP, await readHistory(orderRef))
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

  const run = async (
    way: StateWay,
    report: (progress: StateRunProgress) => void,
  ): Promise<void> => {
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
      const orderRef = await placeFor(way.guide)
      update({ order_ref: orderRef })
      let seq = 0
      for (const [index, step] of way.guide.steps.entries()) {
        doing = step.words
        await act(orderRef, step, way.guide)
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
  let last = Promise.resolve()
  return (...way: Parameters<typeof run>): Promise<void> => {
    last = last.then(() => run(...way))
    return last
  }
}
