// `plazo orders` and `plazo deliveries`, next to a running server: lists, one order with the author of
// each decision, and questions before what cannot be undone. Contract §3 and §6.
import type { orderView } from '@plazo/core'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { CARD, CODE, PERSON } from '../../harness/shop.ts'
import { servedShopOnFile } from '../served-shop.ts'
import { agreement, surnames } from '../stages.ts'

type View = ReturnType<typeof orderView>

const { path, server, shop, stages, plazo } = await servedShopOnFile()

describe('plazo orders show', () => {
  it('finds an order by its reference, and prints whom it awaits, state, terms, journal and deliveries', async () => {
    const ref = await stages.settled(surnames('review event'), {
      merchant_reference: { order_ref_1: 'sheet/1' },
    })
    const before = await plazo.run('orders', 'show', 'sheet/1')
    expect(before.stdout).toMatch(/^ {2}On hold since .+ UTC\.$/m)
    expect(before.stdout).toContain('  Awaited: the operator (review.approved).\n')
    expect(before.stdout).toContain('  If everybody stays silent, nothing changes.\n')
    await shop.decide(ref, 'approve')
    await shop.advance(0)
    const { code, stdout } = await plazo.run('orders', 'show', ref)
    expect(code).toBe(0)
    expect(await plazo.json('orders', 'show', ref)).toMatchObject({
      explanation: { by_itself: null },
    })
    expect(stdout).toContain(`Order ${ref}\n`)
    expect(stdout).toMatch(/^ {2}checkout +\S.* \(confirmed\)$/m)
    expect(stdout).toMatch(/^ {2}order_ref_1 +sheet\/1$/m)
    expect(stdout).toMatch(new RegExp(`^ {2}notify_url +${server.url}/demo/notify$`, 'm'))
    expect(stdout).toMatch(
      /T\S+Z {2}The order was approved · by the operator.* {2}\(review\.approved · checkout: reviewing to confirming\)$/m,
    )
    expect(stdout).toMatch(
      new RegExp(`^ {2}${ref}:\\d+:ipn {2}ipn {2}delivered {2}attempt 1 schedule`, 'm'),
    )
    const { given_names, mobile_phone, nin, address } = PERSON
    for (const own of [given_names, mobile_phone, nin, address]) expect(stdout).not.toContain(own)
  })

  it('prints a reference on its own line without control characters, and unchanged as JSON', async () => {
    const reference = 'A\u001b]0;title\u0007\u009b2J\u202e\n  merchant        another\t.'
    const ref = await shop.place({ merchant_reference: { order_ref_1: reference } })
    const { stdout } = await plazo.run('orders', 'show', ref)
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
    expect(stdout.split('\n').filter((line) => line.startsWith('  merchant '))).toEqual([
      '  merchant          demo',
    ])
    const json = (await plazo.run('orders', 'show', ref, '--json')).stdout
    expect(json).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
    expect(JSON.parse(json)).toMatchObject({ order: { order_ref_1: reference } })
  })
})

it('a reference of several orders asks for the uuid of one', async () => {
  const merchant_reference = { order_ref_1: 'both/1' }
  const refs = [await shop.place({ merchant_reference }), await shop.place({ merchant_reference })]
  const { code, stderr } = await plazo.run('orders', 'show', 'both/1')
  expect(code).toBe(1)
  for (const words of ['2 orders. Give the order_ref of one.', ...refs])
    expect(stderr).toContain(words)
})

describe('plazo orders show --personal-data', () => {
  const dataOf = async (reference: string) => {
    const { code, stdout } = await plazo.run('orders', 'show', reference, '--personal-data')
    expect(code).toBe(0)
    return JSON.parse(stdout)
  }
  const { service_privacy_policy_accepted: _accepted, ...identity } = PERSON
  const isShown = ({ event }: { readonly event: string }): boolean => event === 'shopper.shown'

  it('writes all that is held about a shopper without codes and tokens, notes it, and has nothing after an erasure', async () => {
    const merchant_reference = { order_ref_1: 'asked/1' }
    await plazo.run('merchant', 'set', '--merchant', 'demo', '--send-action-events')
    const { ref, action } = await stages.revealed(agreement('fp1'), { merchant_reference })
    await shop.pay(action.iframe_url, { ...CARD, save: 'on' })
    await shop.advance(0)
    const data = await dataOf('ASKED/1')
    expect(data).toMatchObject({
      order_ref: ref,
      person: {
        ...identity,
        otp: { issued_at: expect.stringMatching(/Z$/) },
        messages: [{ text: 'Your code is [hidden].' }],
      },
      payload: { order: { merchant_reference } },
      cards: [{ last_four: CARD.number.slice(-4) }],
    })
    expect(data.deliveries).toContainEqual(
      expect.objectContaining({
        event: 'ipn',
        request: expect.objectContaining({ body: expect.stringContaining(ref) }),
      }),
    )
    expect(data.inputs).toContainEqual({
      ...{ seq: expect.any(Number), at: expect.any(String) },
      event: expect.objectContaining({ person: identity }),
    })
    expect(JSON.stringify(data)).not.toMatch(
      /"(?:code|token|provider_?url)":|iframe_url\\":\\"(?!\[hidden)/,
    )
    expect((await shop.history(ref)).filter(isShown)).toMatchObject([
      { detail: 'by the operator', from: expect.anything() },
    ])

    await plazo.run('orders', 'erase', ref, '--yes')
    expect(await dataOf(ref)).toMatchObject({
      person: { otp: null, messages: [] },
      payload: null,
      inputs: [],
      deliveries: [],
      cards: [],
    })
  })

  it('leaves a checkout in progress as it is', async () => {
    const ref = await stages.identified()
    expect(await dataOf(ref)).toMatchObject({ person: identity })
    await shop.submit(ref, { validation_code: CODE })
    expect((await shop.order(ref)).state).toMatchObject({ checkout: 'screening' })
  })
})

describe('plazo orders list --same-person-as', () => {
  const list = async (reference: string, ...options: readonly string[]) => {
    const words = ['--same-person-as', reference, '--json', ...options]
    const { stdout } = await plazo.run('orders', 'list', ...words)
    const lines = stdout.split('\n').filter(Boolean)
    return lines.map((line) => (JSON.parse(line) as View).order_ref)
  }
  const one = { mobile_phone: '611222333', nin: '87654321X' }

  it('finds the orders with the same phone and ID number, however written', async () => {
    const first = await stages.settled(one)
    const second = await stages.identified({ mobile_phone: '611 222-333', nin: '87.654.321-x' })
    await stages.identified({ ...one, mobile_phone: '611222334' })
    expect(await list(first.slice(0, 8))).toEqual([second, first])
    expect(await list(second, '--state', 'confirmed')).toEqual([first])
  })

  it('refuses an order without a person', async () => {
    const ref = await shop.place()
    expect(await plazo.run('orders', 'list', '--same-person-as', ref)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${ref}, which has no phone and ID number`),
    })
  })
})

describe('plazo orders list', () => {
  /** An order on each line. */
  const listOrders = async (...words: readonly string[]): Promise<readonly View[]> => {
    const { code, stdout } = await plazo.run('orders', 'list', '--json', ...words)
    expect(code).toBe(0)
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as View]))
  }

  it('has every filter of the console', async () => {
    const heldRef = await stages.settled(surnames('review event'), {
      merchant_reference: { order_ref_1: 'Filtered-1' },
    })
    const refsOf = async (...words: readonly string[]) =>
      (await listOrders('--search', 'filtered', ...words)).map(({ order_ref }) => order_ref)
    expect(await refsOf('--checkout', 'reviewing', '--cancellation', 'none')).toEqual([heldRef])
    expect(await refsOf('--failing')).toEqual([])
    expect(await refsOf('--changed-since', '2026-01-01', '--risk', 'unassessed')).toEqual([heldRef])
    expect(await refsOf('--until', '2026-01-01')).toEqual([])
  })

  it('prints any number as JSON, an order on each line, or as CSV for spreadsheets', async () => {
    const ref = await shop.place({
      merchant_reference: { order_ref_1: '=1+1', order_ref_2: 'a "b", c' },
    })
    const csv = await plazo.run('orders', 'list', '--export', 'csv')
    const [head, first = ''] = csv.stdout.split('\r\n')
    expect(head).toMatch(
      /^\ufeffplaced,changed,order_ref,merchant,order_ref_1,order_ref_2,checkout,/,
    )
    expect(first).toMatch(new RegExp(`,${ref},demo,"'=1\\+1","a ""b"", c",identifying,`))
    expect(csv.stderr).toBe('')
    const limited = await plazo.run('orders', 'list', '--export', 'csv', '--limit', '1')
    expect(limited.stdout.trim().split('\n')).toHaveLength(2)
    const listed = await listOrders()
    expect(listed[0]).toMatchObject({ order_ref: ref, order_ref_1: '=1+1' })
    for (const { order_ref } of listed) expect(csv.stdout).toContain(order_ref)
    const found = await shop.asMerchant('GET', '/merchants/demo/orders?search=%3D1')
    expect(await found.json()).toMatchObject([{ order_ref: ref }])
  })
})

// Without it, an operator could neither see nor retry a job whose result could not be applied.
// Contract §6, Stuck.
describe('plazo deliveries retry', () => {
  it('lists stuck jobs, and the server runs one that is retried', async () => {
    const orderRef = await shop.place()
    const key = `${orderRef}:1:timer.checkoutLifetime`
    const db = openDatabase(path)
    db.prepare(
      "update outbox set state = 'stuck', message = 'no step' where lane = 'timer.checkoutLifetime' and order_id = (select id from orders where order_ref = ?)",
    ).run(orderRef)
    db.close()
    const retry = (...words: readonly string[]) => plazo.run('deliveries', 'retry', ...words)
    expect(await plazo.json('deliveries', 'retry')).toEqual([
      { key, order_ref: orderRef, message: 'no step' },
    ])
    expect((await retry()).stdout).toContain(`${key}\t${orderRef}\tno step`)
    await shop.advance(25 * 3600)
    expect((await shop.order(orderRef)).state.checkout).toBe('identifying')

    expect((await retry(key)).stdout).toContain('is due now')
    await shop.advance(0)
    expect((await shop.order(orderRef)).state.checkout).toBe('expired')
    // The list itself is empty, for programs that read it.
    expect(await retry()).toEqual({ code: 0, stdout: '', stderr: 'No job is stuck.\n' })
    expect(await retry('no:2:key')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`plazo deliveries retry` lists all stuck jobs'),
    })
  })
})

describe('a command that cannot be undone', async () => {
  const ended = await stages.identified()
  await shop.advance(25 * 3600)

  it.each<[string, readonly string[], string]>([
    ['rotate-secret', ['merchant', 'rotate-secret', '--merchant', 'demo'], 'For 24 h'],
    ['erase', ['orders', 'erase', ended], 'This goes for good:'],
    [
      'recover',
      ['deliveries', 'recover', '--merchant', 'demo', '--since', '2026-01-01'],
      'tried at 2026-01-01T00:00:00.000Z or later',
    ],
  ])('does nothing without a terminal and --yes: %s', async (_, words, consequence) => {
    const merchants = await plazo.json('merchant', 'list')
    const { code, stdout, stderr } = await plazo.run(...words)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(consequence)
    expect(stderr).toContain('Add --yes to do it without a question.\n')
    expect(await plazo.json('merchant', 'list')).toEqual(merchants)
    expect((await plazo.run(...words, '--yes')).code).toBe(0)
  })

  it('says in a dry run what goes and what is unfinished, and changes nothing', async () => {
    const ref = await stages.identified({}, { merchant_reference: { order_ref_1: 'dry-1' } })
    const { code, stdout } = await plazo.run('orders', 'erase', 'DRY-1', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(/This goes for good:\n {2}- The shopper’s name, .*\n {2}- The request /)
    expect(stdout).toContain('It cannot be erased yet:\n  - The order’s checkout has not ended')
    expect(await plazo.json('orders', 'erase', ref.slice(0, 8), '--dry-run')).toMatchObject({
      order_ref: ref,
      goes: ['person', 'payload', 'inputs', 'deliveries', 'cards'],
      before: false,
    })
    expect((await plazo.run('orders', 'erase', ref, '--yes')).stderr).toMatch(
      /^It cannot be erased yet:\n {2}- The order’s checkout has not ended/,
    )
  })
})
