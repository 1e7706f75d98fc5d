// Screening and its results: expiry, ID verification, an alternative. Contract §4, Screening, Outcomes, ID verification; §8.
import { describe, expect, it } from 'vitest'
import type { Action } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, checkoutOf, requestsAt, surnames } from './stages.ts'

const { receiver, shop, stages } = await servedShop()

const eventsAt = (name: string): readonly string[] =>
  requestsAt(receiver, `/${name}/events`).map(({ fields }) => fields.event ?? '')

describe('screening', () => {
  it('approves after a second, and shows only resume_after_screening', async () => {
    const ref = await stages.proven()
    await shop.advance(1)
    expect(await checkoutOf(shop, ref)).toBe('screened')
    expect(await shop.submit(ref)).toMatchObject({ action: 'wait_for_confirmation' })
  })

  it('that never resolves expires after its window, and a submission restarts it, three times in total', async () => {
    const never = surnames('Expiry EVENT')
    const ref = await stages.proven(never)
    for (const round of [1, 2, 3]) {
      await shop.advance(58)
      expect(await shop.wait(ref), `round ${round}`).toMatchObject({ action: 'wait_for_screening' })
      await shop.advance(2)
      expect(await shop.wait(ref)).toEqual({ action: 'resume_after_screening' })
      if (round < 3)
        expect(await shop.submit(ref, never)).toMatchObject({ action: 'wait_for_screening', expires_in_seconds: 60 })
    }
    const ended = await shop.submit(ref, never)
    expect(ended).toEqual({ action: 'show_error', messages: ended.messages, errors: ended.messages })
    expect(await shop.wait(ref)).toEqual({ action: 'show_error', messages: ended.messages })
    expect(await checkoutOf(shop, ref)).toBe('failed')
  })

  it('that denies notifies the merchant only when the submission reveals it', async () => {
    const { merchant } = addressesAt(receiver, 'denial')
    const ref = await stages.screened(surnames('denial event'), { merchant })
    await shop.advance(600)
    expect(await shop.wait(ref)).toEqual({ action: 'resume_after_screening' })
    expect(eventsAt('denial')).toEqual([])
    expect(await shop.submit(ref, surnames('denial event'))).toEqual({ action: 'reject' })
    await shop.advance(0)
    expect(eventsAt('denial')).toEqual(['denied'])
    expect(requestsAt(receiver, '/denial/ipn')).toEqual([])
    expect((await shop.order(ref)).state).toEqual({ checkout: 'rejected', risk: 'unassessed', cancellation: 'none' })
  })
})

describe('ID verification', () => {
  const report = (action: Action, status: string) => shop.form(String(action.session_url), { status })

  it('is VERIFIED after 2 s, shows it for 3 s, and then the order continues by itself', async () => {
    const { ref, action } = await stages.revealed(surnames('verification event'))
    expect(action).toMatchObject({ action: 'wait_for_id_verification', status: 'STARTED' })
    await shop.advance(2)
    expect(await shop.wait(ref)).toEqual({ ...action, status: 'VERIFIED', message: expect.stringMatching(/\S/) })
    await shop.advance(2)
    expect(await shop.wait(ref)).toMatchObject({ status: 'VERIFIED' })
    await shop.advance(1)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  })

  it('is FAILED after 2 s, shows it for 3 s, and ends in reject with the event denied', async () => {
    const { merchant } = addressesAt(receiver, 'unverified')
    const { ref, action } = await stages.revealed(surnames('unverified event'), { merchant })
    await shop.advance(2)
    expect(await shop.wait(ref)).toEqual({ ...action, status: 'FAILED', message: expect.stringMatching(/\S/) })
    expect(eventsAt('unverified')).toEqual([])
    await shop.advance(3)
    expect(await shop.wait(ref)).toEqual({ action: 'reject' })
    expect(eventsAt('unverified')).toEqual(['denied'])
  })

  it('that is VERIFIED continues at a submission, to the payment if one is due', async () => {
    const extra = { ...surnames('identity event'), ...agreement('fp1') }
    const { ref, action } = await stages.revealed(extra)
    const answer = await report(action, 'VERIFIED')
    expect(answer.status).toBe(200)
    expect(await shop.wait(ref)).toMatchObject({ status: 'VERIFIED', session_url: action.session_url })
    expect(await shop.submit(ref, extra)).toMatchObject({ action: 'require_payment' })
  })

  it('that ends in ERROR keeps this status until a submission opens a new session; the third ERROR ends it', async () => {
    const extra = surnames('identity event')
    const { ref, action } = await stages.revealed(extra)
    const seen = [action.session_url]
    let current = action
    for (const round of [1, 2]) {
      await report(current, 'ERROR')
      expect(await shop.wait(ref), `round ${round}`).toEqual({
        ...current,
        status: 'ERROR',
        message: expect.stringMatching(/\S/),
      })
      await shop.advance(600)
      expect(await shop.wait(ref)).toMatchObject({ status: 'ERROR' })
      current = await shop.submit(ref, extra)
      expect(current).toMatchObject({ action: 'wait_for_id_verification', status: 'STARTED' })
      expect(seen).not.toContain(current.session_url)
      seen.push(current.session_url)
    }
    await report(current, 'ERROR')
    expect(await shop.wait(ref)).toEqual({ action: 'show_error', messages: [expect.stringMatching(/\S/)] })
    expect(await checkoutOf(shop, ref)).toBe('failed')
  })

  it('accepts only VERIFIED, FAILED and ERROR', async () => {
    const { ref, action } = await stages.revealed(surnames('identity event'))
    for (const status of ['STARTED', 'verified', '']) expect((await report(action, status)).status).toBe(400)
    expect(await shop.wait(ref)).toEqual(action)
  })
})

describe('an alternative', () => {
  const extra = surnames('alternative event')

  it('that is offered and chosen is approved', async () => {
    const { ref } = await stages.revealed(extra, { product_code: 'fp1' })
    expect(await shop.submit(ref, { ...extra, ...agreement('i1') })).toMatchObject({ action: 'wait_for_confirmation' })
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await shop.order(ref)).toMatchObject({ product: 'i1' })
  })

  it('of the catalogue that is not offered, or no choice, answers alt_payment again', async () => {
    const { ref } = await stages.revealed(extra)
    const before = await shop.history(ref)
    for (const chosen of [agreement('fp1'), agreement('pp3', 3), agreement('sp1', 3), {}])
      expect(await shop.submit(ref, { ...extra, ...chosen })).toEqual({ action: 'alt_payment' })
    expect(await shop.history(ref)).toEqual(before)
  })
})
