// `plazo demo`: shows a newcomer a whole checkout over HTTP, from the order to its end: each action,
// and each request that the shop receives. With one of the sandbox's test persons, a developer sees
// that person's outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { SANDBOX_CODE, triggerOf } from '@plazo/adapters/sandbox'
import { wireNames } from '@plazo/core'
import * as t from 'io-ts'
import { person } from '../api/docs/openapi/examples.ts'
import { DEMO_PEOPLE, type DemoPerson } from '../sandbox/demo-people.ts'
import { DemoOrderPlaced, SmsSent, Timeline } from '../sandbox/protocol.ts'
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

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

/** By their first name or surnames, in any case. */
const findPerson = (name: string): DemoPerson => {
  const sought = name.trim().toLowerCase()
  return (
    DEMO_PEOPLE.find(({ name: first, surnames }) =>
      [first, surnames, `${first} ${surnames}`].some((each) => each.toLowerCase() === sought),
    ) ??
    refuseValue(
      'The person',
      name,
      `one of ${DEMO_PEOPLE.map(({ name: first, surnames }) => `${first} (${surnames})`).join(', ')}`,
    )
  )
}

const demo = async (name = 'Ana', { url, product, json }: Options): Promise<void> => {
  const { surnames } = findPerson(name)
  const sandbox = sandboxAt(url)
  const print = json ? hint : say
  const { SERVICE_NAME, OPERATOR_PASSWORD = SANDBOX_OPERATOR_PASSWORD } = process.env
  const names = wireNames(SERVICE_NAME || 'Service', 'sq_state')

  print(`▶ POST /sandbox/demo/orders {"product":"${product}"}`)
  const { order_ref } = await sandbox(DemoOrderPlaced, 'POST', '/sandbox/demo/orders', { product })
  print(`  order ${order_ref}`)

  const printedIds = new Set<string>()

  /** Prints what the shop has received since the last time, and returns the timeline. */
  const readTimeline = async (): Promise<Timeline> => {
    const path = `/sandbox/demo/orders/${order_ref}/timeline`
    const timeline = await sandbox(Timeline, 'GET', path)
    for (const { id, type, title, text, badge, details } of timeline.entries) {
      if (type !== 'webhook' || printedIds.has(id)) continue
      printedIds.add(id)
      print(`  ◀ ${title} · ${text}`)
      print(details.find(({ label }) => label === 'Body')?.content ?? '')
      print(`    the shop answers ${badge}`)
    }
    return timeline
  }

  const submit = async (extra: object): Promise<Action> => {
    print(`\n▶ POST identification ${JSON.stringify(extra)}`)
    const path = `/api/v1/checkout/${order_ref}/identification`
    const action = await sandbox(Action, 'POST', path, { ...person(names), surnames, ...extra })
    print(`  ${JSON.stringify(action)}`)
    return action
  }

  const postedUrls = new Set<string>()

  /** Acts as the shopper on a page of the sandbox; a provider's own page is left to a person. */
  const post = async (pageUrl: string, fields: Record<string, string>): Promise<void> => {
    if (postedUrls.has(pageUrl)) return
    postedUrls.add(pageUrl)
    const answer = await fetch(pageUrl, { method: 'POST', body: new URLSearchParams(fields) })
    if (answer.status === 405) return print(`\n▶ the provider's own page: open ${pageUrl}`)
    const text = await answer.text()
    if (!answer.ok) refuse(`POST ${pageUrl} answered ${answer.status}: ${text}`)
    print(`\n▶ POST ${pageUrl}\n  ${text}`)
  }

  const poll = async (former: Action): Promise<Action> => {
    await sleep(POLL_INTERVAL)
    await readTimeline()
    const action = await sandbox(Action, 'GET', `/api/v1/checkout/${order_ref}/wait`)
    if (action.action !== former.action) print(`\n▶ GET wait\n  ${JSON.stringify(action)}`)
    return action
  }

  /** Acts as the frontend on an action. Returns the next one, or null at the end. */
  const act = async (action: Action): Promise<Action | null> => {
    switch (action.action) {
      case 'require_validate_otp': {
        const path = `/sandbox/messages?order_ref=${order_ref}`
        const last = (await sandbox(t.readonlyArray(SmsSent), 'GET', path)).at(-1)
        // A provider's SMS is not among the sandbox's. This code works wherever the one that was
        // sent would.
        if (last) print(`  ✉ SMS to ${last.to}: ${last.text}`)
        return submit({ validation_code: last?.code ?? SANDBOX_CODE })
      }
      case 'resume_after_screening':
        return submit({})
      case 'alt_payment':
        return submit({ credit_agreement: { product: 'i1', instalment_count: 1 } })
      case 'require_payment':
        await post(String(action.iframe_url), CARD)
        return poll(action)
      case 'wait_for_id_verification':
        if (action.status === 'STARTED' && triggerOf(surnames).session === null)
          await post(String(action.session_url), { status: 'VERIFIED' })
        return poll(action)
      case 'show_on_hold': {
        print('\n▶ the operator approves the order')
        const operator = Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')
        const path = `/console/orders/${order_ref}/approve`
        await sandbox(t.unknown, 'POST', path, undefined, { authorization: `Basic ${operator}` })
        return poll(action)
      }
      default:
        return action.action.startsWith('wait_for_') ? poll(action) : null
    }
  }

  let action: Action | null = await submit({})
  for (let steps = 0; action !== null && steps < STEPS_MAX; steps++) action = await act(action)
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
