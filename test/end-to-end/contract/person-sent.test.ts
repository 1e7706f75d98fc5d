// Providers, and the database of saved cards, know a shopper by what was sent about them. What
// people type without invisible marks is sent as it always was: these values were recorded before
// marks were taken out of texts.
import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import type { CardOwner } from '@plazo/core/ports'
import type { Person } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import type { DoEffect } from '../../../packages/core/src/order/effects/effect.ts'
import { submissionEvent } from '../../../packages/core/src/order/person.ts'
import { decodeIdentification } from '../../../packages/core/src/protocol/identification-form.ts'
import {
  CODE,
  effectInLane,
  orderFixture,
  SHOPPER,
} from '../../../packages/core/src/testing/harness/order-fixture.ts'
import recorded from './person-sent.json' with { type: 'json' }

const RULES = {
  privacyField: 'accepted',
  optionalFields: ['address'],
  products: ['fp1'],
  total: 12_100,
  currency: 'EUR',
  today: '2026-05-15',
}

type Sent = {
  readonly sms: string
  readonly person: Person
  readonly owner: CardOwner
  readonly hash: string
}

const hashOf = async (effect: DoEffect): Promise<string> => {
  let hash = ''
  const records = {
    ...memoryRecords(),
    hash: (owner: string) => {
      hash = owner
      return owner
    },
  }
  await sandboxProviders(records).payments.recall({
    ...effect,
    at: 0,
    firstAt: 0,
    orderRef: 'U',
  } as never)()
  return hash
}

const sentFor = async (country: string | null, fields: Partial<Person>): Promise<Sent | null> => {
  const body = { ...SHOPPER, ...fields, accepted: true }
  const decoded = decodeIdentification(body, { ...RULES, country })
  if (E.isLeft(decoded)) return null
  const fixture = orderFixture()
  const first = fixture.send(submissionEvent(fixture.order(), decoded.right))
  const second = fixture.send(
    submissionEvent(fixture.order(), { ...decoded.right, validationCode: CODE }),
  )
  const [sms, screening] = [effectInLane(first, 'sms'), effectInLane(second, 'screening')]
  const cards = effectInLane(second, 'cards')
  if (
    sms?.payload.kind !== 'sms' ||
    screening?.payload.kind !== 'screening' ||
    cards?.payload.kind !== 'cards'
  )
    throw new Error('The steps have other effects.')
  const { owner } = cards.payload
  return { sms: sms.payload.to, person: screening.payload.person, owner, hash: await hashOf(cards) }
}

it.each(recorded)(
  'for $fields in $country, the same is sent and stored as ever',
  async ({ country, fields, sent }) => {
    expect(await sentFor(country, fields)).toEqual(sent)
  },
)
