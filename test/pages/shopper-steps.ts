// Every test that goes through the hosted checkout takes these steps, as a shopper does in a real browser.
import type { Page } from 'playwright-core'
import { type CARD, type Json, PERSON } from '../harness/shop.ts'

const LABELS: Readonly<Record<string, string>> = {
  given_names: 'Given names',
  surnames: 'Surnames',
  dob_day: 'Day',
  dob_month: 'Month',
  dob_year: 'Year',
  mobile_phone: 'Mobile phone',
  nin: 'Identity number',
  address: 'Address',
  postal_code: 'Postal code',
  city: 'City',
}

export const formOf = (orderRef: string, product?: string): string =>
  `/orders/${orderRef}/form_v2${product === undefined ? '' : `?product=${product}`}`

export const fill = async (page: Page, overrides: Json = {}): Promise<void> => {
  const person: Json = { ...PERSON, ...overrides }
  for (const [field, label] of Object.entries(LABELS))
    await page.getByLabel(label, { exact: true }).fill(String(person[field]))
  await page.getByRole('checkbox').check()
}

export const sendDetails = (page: Page): Promise<void> => page.getByRole('button', { name: 'Send me a code' }).click()

export const enterCode = async (page: Page): Promise<void> => {
  await page.getByLabel('Code', { exact: true }).fill('12345')
  await page.getByRole('button', { name: 'Confirm the code' }).click()
}

export const identify = async (page: Page, overrides: Json = {}): Promise<void> => {
  await fill(page, overrides)
  await sendDetails(page)
  await enterCode(page)
}

/** The heading of the step. A hosted page has one. */
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

const cardFrame = (page: Page) => page.frameLocator('iframe[title="Card form"]')

export const pay = async (page: Page, { number, expiry, cvc }: typeof CARD): Promise<void> => {
  const frame = cardFrame(page)
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiry').fill(expiry)
  await frame.getByLabel('CVC').fill(cvc)
  await frame.getByRole('button', { name: 'Pay' }).click()
}

export const waitForShop = (page: Page, product: string): Promise<void> =>
  page.waitForURL(`**/demo/return?product=${product}`)
