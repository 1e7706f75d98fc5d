// Runs the conformance suite, which any server can use, on the bundled server, over HTTP alone.
import { IDENTIFICATION_TABLE, JOURNEYS, WAIT_TABLE } from '@plazo/core/internal/testing'
import { conform, type Subject } from '@plazo/core/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { openCheckReceiver } from '../../../packages/server/src/cli/conform-receiver.ts'
import { startWithAccounts } from '../../harness/accounts.ts'
import { openLedger } from '../../harness/ledger/ledger.ts'
import { sqliteFileSnapshot } from '../../harness/ledger/snapshot.ts'
import { shopAt } from '../../harness/shop.ts'
import type { Answered } from '../../harness/shopper.ts'

const WEEK = 8 * 24 * 3_600

/** Sends requests, and notes in the ledger what is answered. */
const heardBy =
  (ledger: ReturnType<typeof openLedger>): typeof fetch =>
  async (input, init) => {
    const hear = ledger.listen({
      method: init?.method ?? 'GET',
      path: new URL(String(input)).pathname,
    })
    const response = await fetch(input, init)
    const text = await response.clone().text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const body = isJson ? (JSON.parse(text) as Answered['body']) : {}
    hear({ status: response.status, location: response.headers.get('location'), body })
    return response
  }

describe('the bundled server, seen from outside', async () => {
  const ledger = openLedger()
  const receiver = await openCheckReceiver()
  const accounts = await startWithAccounts()
  await accounts.add(
    'pushed',
    'pushed',
    '--currency',
    'EUR',
    '--products',
    'i1,pp3,sp1,fp1',
    '--send-action-events',
  )
  const subject: Subject = {
    url: accounts.server.url,
    merchant: { ref: 'pushed', username: 'pushed', password: 'pushed-secret' },
    now: Date.now,
    isSandbox: true,
    operatorPassword: 'operator',
    receiver,
    fetch: heardBy(ledger),
  }
  afterAll(async () => {
    await accounts.close()
    await receiver.close()
  })

  it('breaks no law on any journey', async () => {
    const { violations, checked, notChecked, answered } = await conform(subject)
    expect(
      violations.map(({ journey, clause, sentence }) => `${journey}: ${sentence} (${clause})`),
    ).toEqual([])
    expect(checked.length).toBeGreaterThan(35)
    expect(answered.identification).toEqual(Object.keys(IDENTIFICATION_TABLE).sort())
    expect(answered.wait).toEqual(Object.keys(WAIT_TABLE).sort())
    // These need the inside of a server, or a clock that stands still.
    expect(new Set(notChecked.flatMap(({ lacks }) => lacks))).toEqual(
      new Set(['step', 'cause', 'replay', 'work', 'decision', 'instant', 'answer_time', 'twin']),
    )
  })

  it('without a sandbox or a receiver is checked less, and the report lists what was not checked', async () => {
    const { violations, checked, notChecked } = await conform({
      ...subject,
      isSandbox: false,
      receiver: null,
    })
    expect(violations).toEqual([])
    expect(checked).toContain(
      'a form is shown again for its fields if and only if one is wrong, and names all that are, each invalid',
    )
    expect(notChecked.find(({ lacks }) => lacks.includes('message'))?.invariant).toBe(
      'finish has its reasons',
    )
    expect(notChecked.some(({ lacks }) => lacks.includes('signature'))).toBe(true)
  })

  it('without an operator is taken as far as it gets without a decision', async () => {
    const journeys = JOURNEYS.filter(
      ({ review, operatorAct: afterwards }) => (review ?? afterwards) !== undefined,
    )
    const { violations, answered } = await conform(
      { ...subject, operatorPassword: null },
      journeys.slice(0, 2),
    )
    expect(violations).toEqual([])
    expect(answered.wait).toContain('show_on_hold')
    expect(answered.wait).not.toContain('reject')
  })

  const answerOf = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> =>
    (subject.fetch ?? fetch)(input, init)

  const failures: Readonly<Record<string, typeof fetch>> = {
    'no Location': async (input, init) => {
      const { status, body } = await answerOf(input, init)
      return new Response(status === 204 ? null : body, { status })
    },
    'a 500': async (input, init) =>
      String(input).endsWith('/history')
        ? new Response('broken', { status: 500 })
        : answerOf(input, init),
    'a broken connection': async (input, init) => {
      const response = await answerOf(input, init)
      if (String(input).endsWith('/wait')) throw new TypeError('fetch failed', { cause: 'reset' })
      return response
    },
    'wrong credentials': (input, { headers: _, ...init } = {}) => answerOf(input, init),
  }

  it.each(Object.entries(failures))(
    'that fails with %s is reported with the request and its answer',
    async (_, send) => {
      const { violations } = await conform({ ...subject, fetch: send }, JOURNEYS.slice(0, 1))
      const exchanges = violations.flatMap(({ invariant, exchange }) =>
        invariant === 'answers' ? [exchange] : [],
      )
      expect(exchanges).toContainEqual(
        expect.stringMatching(
          /^(POST \/orders [^→]*→ 204|GET .*\/history\n→ 500 broken|GET .*\/wait|GET .*\/credentials\n→ 401)/,
        ),
      )
    },
  )

  it('has done what follows from the journals of all these orders once, and nothing else', async () => {
    const shop = shopAt(accounts.server.url)
    const { orders: placed } = await sqliteFileSnapshot(accounts.path)
    for (const { path } of receiver.received()) receiver.answer(path, 200)
    for (let weeks = 0; weeks < 3; weeks++) {
      // An order on review ends only by an operator. Others refuse the decision.
      for (const { orderRef } of placed) await shop.decide(orderRef, 'approve')
      await shop.advance(WEEK)
    }
    expect(await accounts.server.stop()).toBe(0)
    const snapshot = await sqliteFileSnapshot(accounts.path)
    const { faults, orders } = ledger.close(snapshot, receiver.received(), accounts.server.url)
    expect(faults).toEqual([])
    expect(orders.length).toBeGreaterThan(30)
    expect(ledger.factCount()).toBeGreaterThan(500)
  })
})
