import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { lenderPlaceholders } from '../sandbox/lender.ts'
import { readConfig } from './config.ts'
import { type LegalSettings, legalFrom } from './legal-settings.ts'

const ALL = {
  LENDER_NAME: 'Bank',
  LENDER_ADDRESS: 'Street 1\nMadrid',
  LENDER_SUPERVISOR: 'Banco de España',
  CONDITIONS_URL: 'https://bank.test/conditions',
  PRE_CONTRACT_URL: 'https://bank.test/secci',
  WITHDRAWAL_TEXT_EN: 'You may withdraw within 14 days.',
  WITHDRAWAL_TEXT_ES: 'Puedes desistir en 14 días.',
  CONTACT_FOR_PERSON: 'person@bank.test',
}

const legalOf = (environment: Readonly<Record<string, string>>) => {
  const config = readConfig(environment)
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  return config.right.legal
}
const factsOf = (environment: Readonly<Record<string, string>>, placeholders?: LegalSettings) =>
  legalFrom(legalOf(environment), placeholders).facts

describe('the settings that the law requires', () => {
  it('name the lender, the documents, the withdrawal and a person in each language', () => {
    expect(factsOf({ ...ALL, LENDER_SUPERVISOR_EN: 'Bank of Spain' })).toEqual({
      en: {
        lender: { name: 'Bank', address: 'Street 1\nMadrid', supervisor: 'Bank of Spain' },
        conditions_url: 'https://bank.test/conditions',
        pre_contract_url: 'https://bank.test/secci',
        withdrawal: 'You may withdraw within 14 days.',
        contact: 'person@bank.test',
      },
      es: expect.objectContaining({
        lender: { name: 'Bank', address: 'Street 1\nMadrid', supervisor: 'Banco de España' },
        withdrawal: 'Puedes desistir en 14 días.',
      }),
    })
  })

  it('of a credit are not needed for a product without one', () => {
    const { LENDER_NAME, LENDER_ADDRESS, LENDER_SUPERVISOR, CONTACT_FOR_PERSON } = ALL
    const lender = { LENDER_NAME, LENDER_ADDRESS, LENDER_SUPERVISOR }
    const withoutCredit = legalFrom(legalOf({ ...lender, CONTACT_FOR_PERSON })).withoutCredit
    expect(withoutCredit?.en).toEqual({
      lender: { name: 'Bank', address: 'Street 1\nMadrid', supervisor: 'Banco de España' },
      contact: 'person@bank.test',
    })
    expect(legalFrom(legalOf(lender)).withoutCredit).toBeNull()
  })

  it('have placeholders in a sandbox, which each setting replaces', () => {
    const facts = factsOf({ LENDER_NAME_ES: 'Banco' }, lenderPlaceholders('http://plazo.test'))
    expect(facts?.en.lender.name).toContain('placeholder')
    expect(facts?.es.lender.name).toBe('Banco')
    expect(facts?.en.conditions_url).toBe('http://plazo.test/sandbox/lender#conditions')
  })

  it.each([
    ['CONDITIONS_URL', 'conditions', 'an http or https URL'],
    ['LENDER_NAME', '   ', 'a text of at most 4000 characters'],
    ['WITHDRAWAL_TEXT_EN', 'x'.repeat(4_001), 'a text of at most 4000 characters'],
  ])('%s is refused if it is %j', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toEqual(
      E.left([expect.stringContaining(`${name} must be ${expected} (got `)]),
    )
  })
})
