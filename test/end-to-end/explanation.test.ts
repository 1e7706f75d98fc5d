// An explanation over HTTP: a merchant sees their own side, an operator all of it. Contract §3,
// Explanation.
import type { ExplanationView } from '@plazo/core/protocol'
import { expect, it } from 'vitest'
import { basic } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { surnames } from './stages.ts'

const { shop, stages } = await servedShop()

it('the explanation of an order on hold shows a merchant neither operators nor providers, in their language', async () => {
  const orderRef = await stages.settled(surnames('review event'))
  const explain = async (as: 'demo' | 'operator') => {
    const headers = { authorization: basic(as, as), 'accept-language': 'es' }
    const path = `/orders/${orderRef}/explanation`
    return (await (await shop.send('GET', path, undefined, headers)).json()) as ExplanationView
  }
  const [ours, theirs] = [await explain('operator'), await explain('demo')]
  expect(ours.awaits).toMatchObject([{ who: 'operator', what: 'review.approved', until: null }])
  expect(theirs.awaits).toEqual([])
  expect(theirs.may.map(({ who, decision }) => `${who} ${decision}`)).toEqual([
    'merchant references.given',
  ])
  expect(theirs.sentences.by_itself).toBe('Si nadie hace nada, nada cambia.')
  expect(JSON.stringify(theirs)).not.toMatch(/operator|screening|watch/)
})
