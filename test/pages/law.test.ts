// Before the click that binds, shoppers see who lends and on which conditions, and a rejection says
// who decided. Contract §4, Law.
import { describe, expect, it } from 'vitest'
import { stagesOf, surnames } from '../end-to-end/stages.ts'
import { servedPages, violationsOf } from '../harness/served-pages.ts'
import type { Json } from '../harness/shop.ts'
import { fill, formOf, heading, sendDetails, waitForShop } from './shopper-steps.ts'

const { server, shop, withPage } = await servedPages()
const { settled } = stagesOf(shop)
const SPANISH = { customer: { language_code: 'es' } }

const LENDER = [
  'Sandbox Lender (placeholder)',
  '1 Example Street, 00000 Example City',
  'Example supervisory authority, register number 0000',
  'you may withdraw from the credit within 14 days',
  'person@lender.example',
]
const PRESTAMISTA = [
  'Prestamista del sandbox (ejemplo)',
  'Calle de Ejemplo 1, 00000 Ciudad Ejemplo',
  'Autoridad supervisora de ejemplo, registro 0000',
  'puedes desistir del crédito en 14 días',
  'persona@prestamista.example',
]

describe('the last click', () => {
  it('of an order without a payment is the code, next to the lender and the plan', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page)
      await sendDetails(page)
      await heading(page, 'Enter the code').waitFor()
      const bound = page.getByRole('region', { name: 'Before you order' })
      for (const text of LENDER) expect(await bound.textContent()).toContain(text)
      const documents = ['Conditions', 'Pre-contract information']
      for (const name of documents) {
        const url = await bound.getByRole('link', { name }).getAttribute('href')
        expect((await shop.send('GET', String(url))).status).toBe(200)
      }
      await page.getByRole('region', { name: 'Your plan' }).and(page.locator(':visible')).waitFor()
      expect(await violationsOf(page)).toEqual([])
      await page.getByLabel('Code', { exact: true }).fill('12345')
      await page
        .getByRole('button', { name: 'Order with obligation to pay €121.00 later, €0.00 today' })
        .click()
      await waitForShop(page, 'i1')
    })
  })

  it('of an order with a payment is the card form’s, in Spanish too', async () => {
    await withPage(formOf(await shop.place(SPANISH), 'pp3'), async (page) => {
      await page.getByRole('button', { name: 'Enviarme un código' }).waitFor()
      for (const [name, value] of Object.entries(SPANIARD))
        await page.locator(`#${name}`).fill(value)
      await page.getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Enviarme un código' }).click()
      await page.locator('#code').fill('12345')
      await Promise.all([
        page.waitForResponse('**/identification'),
        page.getByRole('button', { name: 'Confirmar el código' }).click(),
      ])
      await shop.advance(1)
      await heading(page, 'Paga 42,84 € con tarjeta').waitFor()
      const bound = page.getByRole('region', { name: 'Antes de hacer el pedido' })
      for (const text of PRESTAMISTA) expect(await bound.textContent()).toContain(text)
      await page
        .getByText('Al pagar haces un pedido con obligación de pago: 42,84 € hoy.')
        .waitFor()
      const frame = page.frameLocator('iframe')
      await frame
        .getByRole('button', { name: 'Pedido con obligación de pago: 42,84 € hoy' })
        .waitFor()
      expect(await frame.getByRole('heading').count()).toBe(0)
    })
  })
})

const SPANIARD = {
  given_names: 'Ana',
  surnames: 'Prueba Ensayo',
  dob_day: '2',
  dob_month: '1',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle 1',
  postal_code: '28013',
  city: 'Madrid',
}

describe('a rejection', () => {
  it('by the screening says that it was automatic, and where to ask for a person', async () => {
    await withPage(formOf(await settled(surnames('denial event'))), async (page) => {
      await heading(page, 'This payment method is not available').waitFor()
      await page.getByText('This was decided automatically.').waitFor()
      await page.getByText('To ask for a person to look at it: person@lender.example').waitFor()
    })
  })

  it('by an operator says that a person decided, in Spanish', async () => {
    const order = await settled(surnames('review event'), SPANISH)
    expect((await shop.decide(order, 'reject')).status).toBe(200)
    await withPage(formOf(order), async (page) => {
      await heading(page, 'Esta forma de pago no está disponible').waitFor()
      await page.getByText('Lo ha decidido una persona.').waitFor()
      await page.getByText('persona@prestamista.example').waitFor()
    })
  })
})

describe('the custom element without the operator’s settings', () => {
  it('leads back to the shop, and names them', async () => {
    const order = await shop.place()
    await withPage('/privacy', async (page) => {
      await page.route('**/summary?*', async (route) => {
        const summary: Json = await (await route.fetch()).json()
        await route.fulfill({
          json: { ...summary, legal: null, missing_settings: ['LENDER_NAME', 'CONDITIONS_URL'] },
        })
      })
      await page.goto(`${server.url}${formOf(order)}`)
      await heading(page, 'This checkout is not open yet').waitFor()
      await page.getByText('LENDER_NAME, CONDITIONS_URL').waitFor()
      expect(
        await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href'),
      ).toContain('/demo/return')
      expect(await page.getByRole('textbox').count()).toBe(0)
      expect(await violationsOf(page)).toEqual([])
    })
  })
})
