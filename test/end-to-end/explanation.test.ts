// An explanation over HTTP: a merchant reads that of their own order, and an operator that of any.
// Contract §3, Explanation.
import type { ExplanationView } from '@plazo/core/protocol'
import { expect, it } from 'vitest'
import { basic } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { surnames } from './stages.ts'

const { shop, stages } = await servedShop()

it('the explanation of an order on hold names whom it awaits, and that nothing happens by itself', async () => {
  const orderRef = await stages.settled(surnames('review event'))
  const explain = async (as: 'demo' | 'operator') => {
    const headers = { authorization: basic(as, as), 'accept-language': 'es' }
    const path = `/orders/${orderRef}/explanation`
    return (await (await shop.send('GET', path, undefined, headers)).json()) as ExplanationView
  }
  const explanation = await explain('operator')
  expect(explanation.where.checkout.state).toBe('reviewing')
  expect(explanation.awaits).toMatchObject([
    { who: 'operator', what: 'review.approved', until: null },
  ])
  expect(explanation.by_itself).toBeNull()
  expect(explanation.sentences.where[0]).toMatch(/^On hold since .* UTC\.$/)
  expect(explanation.sentences.awaits).toEqual(['Awaited: the operator (review.approved).'])
  expect(explanation.sentences.by_itself).toBe('If everybody stays silent, nothing changes.')
  expect(await explain('demo')).toEqual(explanation)
})
