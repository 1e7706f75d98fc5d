// Explanations over HTTP and on the command line: a merchant sees their own side, an operator all of
// it. Contract §3, Explanation.
import type { ExplanationView } from '@plazo/core/protocol'
import { describe, expect, it } from 'vitest'
import { basic } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { surnames } from './stages.ts'

const { shop, stages } = await servedShop()

const decisionsOf = ({ may }: ExplanationView): readonly string[] =>
  may.map(({ who, decision }) => `${who} ${decision}`)

describe('the explanation of an order on hold', () => {
  const explain = async (as: 'demo' | 'operator', language = 'en') => {
    const orderRef = await stages.settled(surnames('review event'))
    const answer = await shop.send('GET', `/orders/${orderRef}/explanation`, undefined, {
      authorization: basic(as, as),
      'accept-language': language,
    })
    expect(answer.status).toBe(200)
    return (await answer.json()) as ExplanationView
  }

  it('says that nothing happens by itself, and shows the operator whom it awaits', async () => {
    const explanation = await explain('operator')
    expect(explanation).toMatchObject({
      where: { checkout: { state: 'reviewing' } },
      awaits: [{ who: 'operator', what: 'review.approved', until: null }],
      by_itself: null,
    })
    expect(explanation.where.checkout.because.length).toBeGreaterThan(0)
    expect(decisionsOf(explanation)).toEqual(
      expect.arrayContaining(['operator review.approved', 'operator review.rejected']),
    )
  })

  it('shows a merchant neither operators nor providers, in their language', async () => {
    const explanation = await explain('demo', 'es')
    expect(explanation.awaits).toEqual([])
    expect(decisionsOf(explanation)).toEqual(['merchant references.given'])
    expect(explanation.sentences.by_itself).toBe('Si nadie hace nada, nada cambia.')
    expect(JSON.stringify(explanation)).not.toMatch(/operator|screening|watch/)
  })
})
