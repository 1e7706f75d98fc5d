// What an answer must have to be accepted. The errors of broken answers are case 23 of the forty
// cases of deliveries.
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { BROKEN_BODIES, ODD, UNREADABLE } from '../../../../../test/harness/broken-responses.ts'
import { aGateway, postTo, rawMerchant, replies } from '../../../../../test/harness/raw-merchant.ts'

describe('an answer whose body breaks', () => {
  it.each(BROKEN_BODIES)(
    'is accepted if the body decides only for other statuses, even if it %s',
    async (_what, reply) => {
      const merchant = await rawMerchant(reply)
      const result = await postTo(merchant, aGateway(), { readsBody: [201, 501] })
      expect(result).toMatchObject({ right: { status: 200, body: expect.any(String) } })
    },
  )
})

it.each(UNREADABLE)('an answer that cannot be read has no body: %s', async (_what, reply) => {
  const merchant = await rawMerchant(reply)
  const result = await postTo(merchant, aGateway(), { readsBody: true })
  expect(result).toEqual(E.right({ status: 200, retryAfter: null, body: null }))
})

describe('an answer that is unusual but complete', () => {
  it.each(ODD)('is accepted: it %s', async (_what, answer, status) => {
    const merchant = await rawMerchant(replies(answer))
    const result = await postTo(merchant, aGateway(), { readsBody: true })
    expect(result).toEqual(E.right({ status, retryAfter: null, body: '{}' }))
  })
})
