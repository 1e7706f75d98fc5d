// Every test that goes through the hosted checkout takes these steps, as a shopper does in a real
// browser.
import type { Page } from 'playwright-core'
import { CARD, type Json, PERSON, type Shop } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const LABELS: Readonly<Record<string, string>> = {
  given_names: 'First name',
  surnames: 'Surnames',
  dob_day: 'Day',
  dob_month: 'Month',
  dob_year: 'Year',
  mobile_phone: 'Mobile phone',
  nin: 'Number of your identity document',
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
  await page.getByRole('checkbox', { name: 'privacy policy' }).check()
}

export const sendDetails = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Send me a code' }).click()

export const enterCode = async (page: Page): Promise<void> => {
  await page.getByLabel('Code', { exact: true }).fill('12345')
  await page.getByRole('button', { name: CONFIRM }).click()
}

/** Sends the code. If nothing is paid by card afterwards, this is the click that binds. */
export const CONFIRM = /^(Confirm the code|Order with obligation to pay)/

/** `shop`: moves the sandbox's clock, so that the screening ends at once. */
export const identify = async (page: Page, overrides: Json = {}, shop?: Shop): Promise<void> => {
  await fill(page, overrides)
  await sendDetails(page)
  await heading(page, 'Enter the code').waitFor()
  await Promise.all([page.waitForResponse('**/identification'), enterCode(page)])
  await shop?.advance(1)
}

/** The heading of the step. A hosted page has one. */
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

export const pay = async (page: Page, { number, expiry, cvc }: typeof CARD): Promise<void> => {
  const frame = page.frameLocator('iframe[title="Card form"]')
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiry').fill(expiry)
  await frame.getByLabel('CVC').fill(cvc)
  await frame.getByRole('button', { name: 'Pay' }).click()
}

export const waitForShop = (page: Page, product: string): Promise<void> =>
  page.waitForURL(`**/demo/return?product=${product}`)

/** Places an order on the sandbox's front page by a double click, and resolves to its uuid. */
export const buy = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Go to the checkout' }).dblclick()
  await page.waitForURL(/order=/)
  return new URL(page.url()).searchParams.get('order') ?? ''
}

export const AGREEMENT = { credit_agreement: { product: 'pp3', instalment_count: 3 } }

/** Takes an order of the front page to its end without its page. */
export const finish = async (shop: Shop, orderRef: string): Promise<void> => {
  await shop.submit(orderRef, AGREEMENT)
  await shop.submit(orderRef, { ...AGREEMENT, validation_code: '12345' })
  await waitUntil(async () => (await shop.wait(orderRef)).action === 'resume_after_screening')
  const { iframe_url } = await shop.submit(orderRef, AGREEMENT)
  await shop.pay(iframe_url, CARD)
}
