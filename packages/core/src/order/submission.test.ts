import { describe, expect, it } from 'vitest'
import type { Identification } from '../protocol/identification-form.ts'
import { ANA, EVA, orderFixture, reachScreening, submitPerson } from '../testing/told-order.ts'
import { isMalformedCode, submissionEvent } from './submission.ts'

const fresh = orderFixture().order()
const asked = submitPerson(orderFixture()).order()
const screening = reachScreening(orderFixture()).order()

const form = (given: Partial<Identification>): Identification =>
  ({ person: ANA, agreement: null, validationCode: null, ...given }) as Identification

describe('a submission', () => {
  it('by the first shopper, or the same one, is a submission', () => {
    expect(submissionEvent(fresh, form({}))).toEqual({ type: 'person.submitted', person: ANA, agreement: null })
    const nearly = { ...ANA, nin: '12345678z', mobile_phone: '600123456' }
    expect(submissionEvent(asked, form({ person: nearly }))).toMatchObject({ type: 'person.submitted', person: nearly })
  })
  it('by somebody else changes the person, whatever code is given', () => {
    expect(submissionEvent(asked, form({ person: EVA, validationCode: '90001' }))).toEqual({
      type: 'person.changed',
      person: EVA,
      agreement: null,
    })
  })
  it('with a code is one of a code only where a code is asked for', () => {
    expect(submissionEvent(asked, form({ validationCode: '90001' }))).toEqual({
      type: 'code.submitted',
      person: ANA,
      agreement: null,
      code: '90001',
    })
    for (const order of [fresh, screening])
      expect(submissionEvent(order, form({ validationCode: '90001' })).type).toBe('person.submitted')
    expect(submissionEvent(asked, form({ validationCode: '9000' })).type).toBe('person.submitted')
  })
})

describe('a code is malformed', () => {
  it.each(['', '9000', '900011', 'abcde', 90_001])('where it is %j', (validationCode) => {
    expect(isMalformedCode(asked, form({ validationCode }))).toBe(true)
  })
  it.each([undefined, null, '90001'])('but not where it is %j', (validationCode) => {
    expect(isMalformedCode(asked, form({ validationCode }))).toBe(false)
  })
  it('only where one is asked for, of the one who was asked', () => {
    for (const order of [fresh, screening]) expect(isMalformedCode(order, form({ validationCode: '1' }))).toBe(false)
    expect(isMalformedCode(asked, form({ validationCode: '1', person: EVA }))).toBe(false)
    const nobody = { ...asked, context: { ...asked.context, person: null } }
    expect(isMalformedCode(nobody, form({ validationCode: '1' }))).toBe(false)
  })
})
