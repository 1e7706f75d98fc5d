// Runs the conformance suite, which any server can use, on the bundled server, over HTTP alone.
import { IDENTIFICATION_TABLE, JOURNEYS, WAIT_TABLE } from '@plazo/core/internal/testing'
import { conform, type Subject } from '@plazo/core/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { openCheckReceiver } from '../../../packages/server/src/cli/conform-receiver.ts'
import { servedAccounts } from '../../harness/accounts.ts'

describe('the bundled server, seen from outside', async () => {
  const receiver = await openCheckReceiver()
  const { server, add } = await servedAccounts()
  await add('pushed', 'pushed', '--send-action-events')
  const subject: Subject = {
    url: server.url,
    merchant: { ref: 'pushed', username: 'pushed', password: 'pushed-secret' },
    now: Date.now,
    isSandbox: true,
    operatorPassword: 'operator',
    receiver,
  }
  afterAll(async () => {
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

  const failures: Readonly<Record<string, typeof fetch>> = {
    'a 500': async (input, init) =>
      String(input).endsWith('/history')
        ? new Response('broken', { status: 500 })
        : fetch(input, init),
    'a broken connection': async (input, init) => {
      const response = await fetch(input, init)
      if (String(input).endsWith('/wait')) throw new TypeError('fetch failed', { cause: 'reset' })
      return response
    },
  }

  it.each(Object.entries(failures))(
    'that fails with %s is reported with the request and its answer',
    async (_, send) => {
      const { violations } = await conform({ ...subject, fetch: send }, JOURNEYS.slice(0, 1))
      const exchanges = violations.flatMap(({ invariant, exchange }) =>
        invariant === 'answers' ? [exchange] : [],
      )
      expect(exchanges).toContainEqual(
        expect.stringMatching(/^GET .*(\/history\n→ 500 broken|\/wait)/),
      )
    },
  )
})
