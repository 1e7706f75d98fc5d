// What a shopper types, pastes and reads in the fields of the hosted checkout, and who lends and on
// which conditions before the click that binds. Contract §4, Text and Law.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stagesOf, surnames } from '../end-to-end/stages.ts'
import { addLamps, servedPages } from '../harness/served-pages.ts'
import { type Json, shopAt } from '../harness/shop.ts'
import { fill, formOf, heading, sendDetails, waitForShop } from './shopper-steps.ts'

const { server, shop, withPage } = await servedPages()
const lamps = await addLamps(server, { country: 'ES' })
const { settled } = stagesOf(shop)
const SPANISH = { customer: { language_code: 'es' } }

/** Like a paste, this is cut by a length that the field may have. */
const paste = async (page: Page, field: Locator, text: string): Promise<void> => {
  await field.selectText()
  await page.keyboard.insertText(text)
}

const submitCode = (page: Page) => page.locator('form button').first().click()

describe('a pasted field', () => {
  it('is sent as people see it: a date, a phone, an identity number, a postal code and the code', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page)
      const pasted = {
        dob_day: ' \u200e2 ',
        dob_month: '０1',
        dob_year: '19 80',
        postal_code: '２8013\u200b',
        mobile_phone: '\u202a600\u00a0123\u2013456\u202c',
        nin: '12345678\u2011Z',
      }
      for (const [name, text] of Object.entries(pasted))
        await paste(page, page.locator(`#${name}`), text)
      const sent = page.waitForRequest('**/identification')
      await sendDetails(page)
      expect((await sent).postDataJSON()).toMatchObject({
        dob_day: '02',
        dob_month: '01',
        dob_year: '1980',
        postal_code: '28013',
        mobile_phone: '600 123-456',
        nin: '12345678-Z',
      })
      await heading(page, 'Enter the code').waitFor()
      await paste(page, page.locator('#code'), ' \u200b1２-3 45')
      await submitCode(page)
      await waitForShop(page, 'i1')
    })
  })
})

const wrongFields = (page: Page): Promise<readonly (string | null)[]> =>
  page
    .locator('[aria-invalid=true]')
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('name')))

describe('a message', () => {
  it('is at each wrong field, of which the first has the focus, and goes as soon as its field is right', async () => {
    const right: Readonly<Record<string, readonly [almost: string, right: string]>> = {
      given_names: [' \u200b', 'Ana'],
      surnames: ['Prueba', 'Prueba Ensayo'],
      mobile_phone: ['600 12', '600 123 456'],
      nin: ['12345678A', '12345678Z'],
      address: [' ', 'Calle Mayor 1'],
      postal_code: ['2801', '28013'],
      city: ['', 'Madrid'],
    }
    await withPage(
      formOf(await lamps.place()),
      async (page) => {
        await sendDetails(page)
        const alert = page.getByRole('alert').filter({ hasText: 'marked' })
        await alert.waitFor()
        const names = Object.keys(right)
        const consent = 'service_privacy_policy_accepted'
        const birth = ['dob_day', 'dob_month', 'dob_year']
        let wrong = [...names.slice(0, 2), ...birth, ...names.slice(2), consent]
        expect(await wrongFields(page)).toEqual(wrong)
        await page.locator('.checkout [name=given_names]:focus').waitFor()
        const described = await page.getByLabel('Surnames').getAttribute('aria-describedby')
        const texts = (described ?? '').split(' ').map((id) => page.locator(`#${id}`).textContent())
        expect(await Promise.all(texts)).toEqual([
          'Both surnames',
          'Enter both of your surnames, or tick the box if you have only one.',
        ])
        for (const [name, [almost, value]] of Object.entries(right)) {
          await page.locator(`#${name}`).fill(almost)
          expect(await wrongFields(page), name).toEqual(wrong)
          await page.locator(`#${name}`).fill(value)
          wrong = wrong.filter((each) => each !== name)
          expect(await wrongFields(page), name).toEqual(wrong)
        }
        for (const [name, value, left] of [
          ['dob_day', '31', birth],
          ['dob_month', '2', ['dob_year']],
          ['dob_year', '2024', ['dob_year']],
          ['dob_month', '3', ['dob_year']],
          ['dob_year', '1980', []],
        ] as const) {
          await page.locator(`#${name}`).fill(value)
          if (name !== 'dob_day') expect(await wrongFields(page)).toEqual([...left, consent])
        }
        await page.getByRole('checkbox', { name: 'privacy policy' }).check()
        expect(await wrongFields(page)).toEqual([])
        expect(await page.locator('.wrong:visible').count()).toBe(0)
        expect(await alert.count()).toBe(0)
      },
      { httpCredentials: lamps.credentials },
    )
  })

  it('about the code counts the tries, says when the code is void, and goes with five digits', async () => {
    const ref = await shop.place()
    await withPage(formOf(ref), async (page) => {
      await fill(page)
      await sendDetails(page)
      const code = page.getByLabel('Code', { exact: true })
      await page.getByText('You have 5 tries left.').waitFor()
      await page.getByText('to your phone •••• 456.').waitFor()
      const repeated = page.getByRole('button', { name: /^Send another code in 0:\d\d$/ })
      expect(await repeated.isDisabled()).toBe(true)
      for (const expected of ['You have 4', 'You have 3', 'You have 2', 'You have one try left.']) {
        await code.fill('00000')
        await submitCode(page)
        await page.getByText(expected).waitFor()
        await page.getByText('The code is wrong.').waitFor()
      }
      await code.fill('00000')
      expect(await page.getByText('The code is wrong.').count()).toBe(0)
      expect(await code.getAttribute('aria-invalid')).toBeNull()
      await submitCode(page)
      await page.getByText('This code is no longer valid. Send another code.').waitFor()
      expect(await page.locator('#code-tries').isVisible()).toBe(false)
      // After the third code, only the shop is left.
      for (const seconds of [31, 31]) {
        await shop.advance(seconds)
        await shop.submit(ref)
      }
      await page.reload()
      await fill(page)
      await sendDetails(page)
      await page.getByRole('link', { name: 'Back to the shop' }).waitFor()
    })
  })
})

it('one surname is asked for where that is a whole name, and nobody is advised to write it twice', async () => {
  await addLamps(server, { ref: 'rome', name: 'Roma', country: 'IT' })
  const rome = shopAt(server.url, lamps.credentials)
  const order = await rome.place({ merchant: { id: 'rome' }, ...SPANISH })
  await withPage(
    formOf(order),
    async (page) => {
      const field = page.getByLabel('Apellidos')
      expect(await page.locator('.surnames .hint').count()).toBe(0)
      await page.getByRole('button').last().click()
      await page.getByText('Escribe tus apellidos.').waitFor()
      expect(await page.content()).not.toContain('dos veces')
      await field.fill('Rossi')
      expect(await field.getAttribute('aria-invalid')).not.toBe('true')
    },
    { httpCredentials: lamps.credentials },
  )
})

it('a wrong year says whether it is badly typed or the shopper too young', async () => {
  await withPage(formOf(await shop.place()), async (page) => {
    await fill(page, { dob_year: '2020' })
    const message = page.locator('#birth-wrong')
    for (const [typed, expected] of [
      ['2020', 'You must be 18 or older.'],
      ['80', 'Check the year: four digits, for example 1980.'],
      ['1080', 'Check the year: four digits, for example 1980.'],
      ['1980', ''],
    ] as const) {
      await page.locator('#dob_year').fill(typed)
      // An answer that comes later would mark the next year.
      if (typed !== '1980')
        await Promise.all([page.waitForResponse('**/identification'), sendDetails(page)])
      await expect.poll(() => message.textContent()).toBe(expected)
    }
  })
})

it('a right number that is refused is told from a wrong one', async () => {
  await withPage(formOf(await shop.place()), async (page) => {
    await fill(page)
    const json = { action: 'show_identification_form', errors: { mobile_phone: 'invalid' } }
    await page.route('**/identification', (route) => route.fulfill({ json }))
    await sendDetails(page)
    await page.getByText('This number gets no more codes for now.').waitFor()
    await page.getByLabel('Mobile phone').fill('600')
    await sendDetails(page)
    await page.getByText('Enter a mobile phone number').waitFor()
  })
})

it('one surname is enough with the tick, where two are needed', async () => {
  await withPage(formOf(await shop.place()), async (page) => {
    const field = page.getByLabel('Surnames')
    await fill(page, { surnames: 'Sukarno' })
    await sendDetails(page)
    await page.getByText('Enter both of your surnames').waitFor()
    await page.getByLabel('I have one surname').check()
    expect(await field.getAttribute('aria-invalid')).toBeNull()
    const sent = page.waitForRequest('**/identification')
    await sendDetails(page)
    expect((await sent).postDataJSON()).toMatchObject({ surnames: 'Sukarno', one_surname: true })
    await heading(page, 'Enter the code').waitFor()
  })
})

// Run in the page.
const DESCRIPTIONS = `(() => {
  const root = document.querySelector('plazo-checkout').shadowRoot
  const textOf = (radio) => radio.getAttribute('aria-describedby').split(' ').map((id) => root.getElementById(id).textContent).join(' ')
  return [...root.querySelectorAll('input[type=radio]')].map(textOf)
})()`

it('a plan’s button has the dates, the cost and the rate as its description', async () => {
  await withPage(formOf(await shop.place(), 'pp3'), async (page) => {
    await page.locator('.plan').first().waitFor()
    const described = (await page.evaluate(DESCRIPTIONS)) as readonly string[]
    expect(described).toHaveLength(4)
    for (const text of described)
      expect(text).toMatch(/Today.*€.*20\d\d.*€.*Total.*€.*Cost.*€.*APR.*%/)
  })
})

const LENDER = [
  'Sandbox Lender (placeholder)',
  '1 Example Street, 00000 Example City',
  'Example supervisory authority, register number 0000',
  'you may withdraw from the credit within 14 days',
  'person@lender.example',
]

describe('the last click', () => {
  it('of an order without a payment is the code, next to the lender and the plan', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page)
      await sendDetails(page)
      await heading(page, 'Enter the code').waitFor()
      const bound = page.getByRole('region', { name: 'Before you order' })
      for (const text of LENDER) expect(await bound.textContent()).toContain(text)
      for (const name of ['Conditions', 'Pre-contract information']) {
        const url = await bound.getByRole('link', { name }).getAttribute('href')
        expect((await shop.send('GET', String(url))).status).toBe(200)
      }
      await page.getByRole('region', { name: 'Your plan' }).and(page.locator(':visible')).waitFor()
      await page.getByLabel('Code', { exact: true }).fill('12345')
      await page.getByRole('button', { name: 'Order with obligation to pay €121.00 later' }).click()
      await waitForShop(page, 'i1')
    })
  })

  it('of a product that is paid at once has no terms of a credit', async () => {
    const { ref } = await stagesOf(shop).revealed({
      credit_agreement: { product: 'fp1', instalment_count: 1 },
    })
    await withPage(formOf(ref, 'fp1'), async (page) => {
      const bound = page.getByRole('region', { name: 'Before you order' })
      await bound.getByText('Sandbox Lender (placeholder)').waitFor()
      await bound.getByText('Payment service').waitFor()
      expect(await bound.textContent()).not.toMatch(
        /withdraw|Conditions|Pre-contract|Lender\b(?! \()/,
      )
      expect(await bound.getByRole('link').count()).toBe(0)
    })
  })

  it('of an order with a payment is the card form’s, below the agreed plan after a reload, in Spanish too', async () => {
    const due = { credit_agreement: { product: 'pp3', instalment_count: 6 } }
    const { ref } = await stagesOf(shop).revealed(due, SPANISH)
    await withPage(formOf(ref, 'pp3'), async (page) => {
      await heading(page, 'Paga 22,70 € con tarjeta').waitFor()
      const bound = page.getByRole('region', { name: 'Antes de hacer el pedido' })
      expect(await bound.textContent()).toContain('Prestamista del sandbox (ejemplo)')
      const plan = page.getByRole('region', { name: 'Tu plan' })
      expect(await plan.getByRole('listitem').count()).toBe(6)
      expect(await plan.textContent()).toMatch(/^6 pagos de 22,66\s€Hoy22,70\s€/)
      await page
        .getByText('Al pagar haces un pedido con obligación de pago: 22,70 € hoy.')
        .waitFor()
      await page
        .frameLocator('iframe')
        .getByRole('button', { name: 'Confirmo el pedido con obligación de pago: 22,70 € hoy' })
        .waitFor()
    })
  })
})

describe('a rejection', () => {
  it('by the screening says that it was automatic, and where to ask for a person', async () => {
    await withPage(formOf(await settled(surnames('denial event'))), async (page) => {
      await heading(page, 'We cannot offer you this payment method').waitFor()
      await page.getByText('This was decided automatically.').waitFor()
      await page.getByText('If a person should look at it again: person@lender.example').waitFor()
    })
  })

  it('by an operator says that a person decided, in Spanish', async () => {
    const order = await settled(surnames('review event'), SPANISH)
    expect((await shop.decide(order, 'reject')).status).toBe(200)
    await withPage(formOf(order), async (page) => {
      await heading(page, 'No podemos ofrecerte esta forma de pago').waitFor()
      await page.getByText('Lo ha decidido una persona.').waitFor()
      await page.getByText('persona@prestamista.example').waitFor()
    })
  })
})

it('the custom element without the operator’s settings leads back to the shop, and names them', async () => {
  const order = await shop.place()
  await withPage('/privacy', async (page) => {
    await page.route('**/summary?*', async (route) => {
      const summary: Json = await (await route.fetch()).json()
      const missing_settings = ['LENDER_NAME', 'CONDITIONS_URL']
      await route.fulfill({ json: { ...summary, legal: null, missing_settings } })
    })
    await page.goto(`${server.url}${formOf(order)}`)
    await heading(page, 'This checkout is not open yet').waitFor()
    await page.getByText('LENDER_NAME, CONDITIONS_URL').waitFor()
    await page.getByRole('link', { name: 'Back to the shop' }).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
  })
})
