// `plazo demo`: shows a newcomer a whole checkout over HTTP, from the order to its end: each request,
// with its answer, and each webhook that the shop receives. With one of the sandbox's test persons, a
// developer sees that person's outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { SANDBOX_CODE, triggerOf } from '@plazo/adapters/internal/sandbox'
import { wireNames } from '@plazo/core'
import * as t from 'io-ts'
import { person } from '../api/docs/openapi/examples.ts'
import { DEMO_CARD, DEMO_PEOPLE } from '../sandbox/demo-people.ts'
import { DemoOrderPlaced, Timeline } from '../sandbox/protocol.ts'
import { SANDBOX_OPERATOR_PASSWORD } from '../settings/config.ts'
import type { Json, PlazoCommand } from './command.ts'
import { sandboxAt, sandboxCommand } from './sandbox-client.ts'
import { hint, refuse, refuseValue, say } from './terminal.ts'

type Options = Json & { readonly url: string; readonly product: string }

const Action = t.intersection([t.type({ action: t.string }), t.UnknownRecord])
type Action = t.TypeOf<typeof Action>

const STEPS_MAX = 200
const POLL_INTERVAL = 300
const LAST_WORK = 2_000

const MARKS: Readonly<Record<string, string>> = { request: '▶', webhook: '◀', sms: '✉' }

/** The surnames of a person, by their first name or surnames, in any case. */
const surnamesOf = (name: string): string => {
  const sought = name.trim().toLowerCase()
  const found = DEMO_PEOPLE.find(({ name: first, surnames }) =>
    [first, surnames, `${first} ${surnames}`].some((each) => each.toLowerCase() === sought),
  )
  const all = DEMO_PEOPLE.map(({ name: first, surnames }) => `${first} (${surnames})`)
  return found?.surnames ?? refuseValue('The person', name, `one of ${all.join(', ')}`)
}

const demo = async (name = 'Ana', { url, product, json }: Options): Promise<void> => {
  const surnames = surnamesOf(name)
  const sandbox = sandboxAt(url)
  const print = json ? hint : say
  const { SERVICE_NAME, OPERATOR_PASSWORD = SANDBOX_OPERATOR_PASSWORD } = process.env
  const shopper = { ...person(wireNames(SERVICE_NAME || 'Service', 'sq_state')), surnames }

  print(`▶ POST /sandbox/demo/orders {"product":"${product}"}`)
  const { order_ref } = await sandbox(DemoOrderPlaced, '/sandbox/demo/orders', { product })
  const checkout = `/api/v1/checkout/${order_ref}`
  const printed = new Set<string>()

  /** Prints what has happened since the last time, and returns the timeline. */
  const readTimeline = async (): Promise<Timeline> => {
    const timeline = await sandbox(Timeline, `/sandbox/demo/orders/${order_ref}/timeline`)
    for (const { id, type, title, text, badge, details } of timeline.entries) {
      const mark = MARKS[type]
      if (mark === undefined || printed.has(id)) continue
      printed.add(id)
      print(`\n${mark} ${[title, text, badge].filter(Boolean).join(' · ')}`)
      for (const { label, content } of details)
        print(`  ${label}: ${content.replaceAll(/\n\s*/g, ' ')}`)
    }
    return timeline
  }

  const submit = (extra: object): Promise<Action> =>
    sandbox(Action, `${checkout}/identification`, { ...shopper, ...extra })

  /** Acts as the shopper on a page of the sandbox; a provider's own page is left to a person. */
  const post = async (page: unknown, fields: Record<string, string>): Promise<void> => {
    const pageUrl = String(page)
    if (printed.has(pageUrl)) return
    printed.add(pageUrl)
    const body = new URLSearchParams(fields)
    const { ok, status } = await fetch(pageUrl, { method: 'POST', body })
    if (status === 405) print(`\n▶ the provider's own page: open ${pageUrl}`)
    else if (!ok) refuse(`POST ${pageUrl} answered ${status}.`)
  }

  const poll = async (): Promise<Action> => {
    await sleep(POLL_INTERVAL)
    return sandbox(Action, `${checkout}/wait`)
  }

  /** Acts as the frontend on an action. Returns the next one, or null at the end. */
  const act = async (action: Action): Promise<Action | null> => {
    const { upcoming } = await readTimeline()
    switch (action.action) {
      case 'require_validate_otp':
        return submit({ validation_code: SANDBOX_CODE })
      case 'resume_after_screening':
        return submit({})
      case 'alt_payment':
        return submit({ credit_agreement: { product: 'i1', instalment_count: 1 } })
      case 'require_payment':
        await post(action.iframe_url, DEMO_CARD)
        return poll()
      case 'wait_for_id_verification':
        if (action.status === 'STARTED' && triggerOf(surnames).session === null)
          await post(action.session_url, { status: 'VERIFIED' })
        return poll()
      case 'show_on_hold':
        // Until the shop has accepted the hold, its IPN comes next.
        if (upcoming.length === 0) {
          print('\n▶ the operator approves the order')
          const operator = Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')
          await sandbox(t.unknown, `/console/orders/${order_ref}/approve`, {}, `Basic ${operator}`)
        }
        return poll()
      default:
        return action.action.startsWith('wait_for_') ? poll() : null
    }
  }

  let action: Action | null = await submit({})
  for (let steps = 0; action !== null && steps < STEPS_MAX; steps += 1) action = await act(action)
  // Work that the end causes, such as a risk assessment, still reaches the shop.
  await sleep(LAST_WORK)
  const { state } = (await readTimeline()).order
  print(`\nThe order is now ${JSON.stringify(state)}.`)
  if (json) say(JSON.stringify({ order_ref, state }))
}

export const demoCommand = (): PlazoCommand =>
  sandboxCommand('demo')
    .description(
      'runs the purchase of a test person through a running sandbox, and shows each request and answer',
    )
    .argument('[person]', 'a first name or surnames, as below; without one: Ana')
    .option('--product <product>', 'i1, pp3, sp1 or fp1', 'fp1')
    .json(': {order_ref, state}')
    .notes(
      `Test persons:\n${DEMO_PEOPLE.map(({ name, surnames, outcome }) => `  ${name.padEnd(6)} ${surnames.padEnd(19)} ${outcome}`).join('\n')}`,
    )
    .examples('plazo demo', 'plazo demo Eva', 'plazo demo "review event" --product i1')
    .action(demo)
