// A field must never cut what a shopper pastes before the script can clean it, and a message must
// go as soon as its field is right. Contract §4, Text.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { agreement, stagesOf } from '../end-to-end/stages.ts'
import { addLamps, servedPages } from '../harness/served-pages.ts'
import { fill, formOf, heading, sendDetails, waitForShop } from './shopper-steps.ts'

const { server, shop, withPage } = await servedPages()
const lamps = await addLamps(server, { country: 'ES' })

/** Like a paste, this is cut by a length that the field may have. */
const paste = async (page: Page, field: Locator, text: string): Promise<void> => {
  await field.selectText()
  await page.keyboard.insertText(text)
}

const sentBy = async (
  page: Page,
  act: () => Promise<void>,
): Promise<Readonly<Record<string, unknown>>> => {
  const [request] = await Promise.all([page.waitForRequest('**/identification'), act()])
  return request.postDataJSON()
}

const submitCode = (page: Page) => () => page.locator('form button').first().click()

const CODES = [
  ' 12345',
  '12 345',
  '12-345',
  '1 2 3 4 5 ',
  '12\u2013345',
  '\u200b123\u202a45\u00ad',
  '１２３４５',
  '١٢٣٤٥',
  '𝟏𝟐𝟑𝟒𝟓',
]

describe('a pasted field', () => {
  it('is the code 12345, with blanks, dashes, unseen marks or the digits of another script', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page)
      await sendDetails(page)
      await heading(page, 'Enter the code').waitFor()
      const wrong = { action: 'show_identification_form', errors: { validation_code: 'invalid' } }
      await page.route('**/identification', (route) => route.fulfill({ json: wrong }))
      for (const code of CODES) {
        await paste(page, page.locator('#code'), code)
        expect(await sentBy(page, submitCode(page)), code).toMatchObject({
          validation_code: '12345',
        })
        await expect.poll(() => page.locator('#code').inputValue()).toBe('')
      }
      await page.unroute('**/identification')
      await paste(page, page.locator('#code'), ' 12-345 ')
      await submitCode(page)()
      await waitForShop(page, 'i1')
    })
  })

  it('is sent as people see it: a date, a phone, an identity number and a postal code', async () => {
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
      expect(await sentBy(page, () => sendDetails(page))).toMatchObject({
        dob_day: '02',
        dob_month: '01',
        dob_year: '1980',
        postal_code: '28013',
        mobile_phone: '600 123-456',
        nin: '12345678-Z',
      })
      await heading(page, 'Enter the code').waitFor()
    })
  })
})

const wrongFields = (page: Page): Promise<readonly (string | null)[]> =>
  page
    .locator('[aria-invalid=true]')
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('name')))

describe('a message', () => {
  it('goes as soon as its field is right, and not before', async () => {
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
        await page.getByRole('alert').filter({ hasText: 'marked' }).waitFor()
        const birth = ['dob_day', 'dob_month', 'dob_year']
        const names = Object.keys(right)
        const consent = 'service_privacy_policy_accepted'
        const all = [...names.slice(0, 2), ...birth, ...names.slice(2), consent]
        expect(await wrongFields(page)).toEqual(all)
        let wrong: readonly string[] = all
        for (const [name, [almost, value]] of Object.entries(right)) {
          await page.locator(`#${name}`).fill(almost)
          expect(await wrongFields(page), name).toEqual(wrong)
          await page.locator(`#${name}`).fill(value)
          wrong = wrong.filter((each) => each !== name)
          expect(await wrongFields(page), name).toEqual(wrong)
          expect(await page.locator(`#${name}-wrong`).isVisible(), name).toBe(false)
        }
        await page.locator('#dob_day').fill('31')
        await page.locator('#dob_month').fill('2')
        expect(await wrongFields(page)).toEqual(['dob_year', consent])
        await page.locator('#dob_year').fill('1980')
        expect(await wrongFields(page)).toEqual(['dob_year', consent])
        await page.locator('#dob_month').fill('3')
        expect(await wrongFields(page)).toEqual([consent])
        await page.getByRole('checkbox').check()
        expect(await wrongFields(page)).toEqual([])
        expect(await page.locator('.wrong:visible').count()).toBe(0)
        expect(await page.getByRole('alert').filter({ hasText: 'marked' }).count()).toBe(0)
      },
      { httpCredentials: lamps.credentials },
    )
  })

  it('about the year stays while the shopper is too young', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page, { dob_year: '2024' })
      await sendDetails(page)
      await page.getByText('You must be 18 or older.').waitFor()
      await page.locator('#dob_year').fill('2023')
      expect(await wrongFields(page)).toEqual(['dob_year'])
      await page.locator('#dob_year').fill('1923')
      expect(await wrongFields(page)).toEqual([])
    })
  })

  it('about the code counts the tries, says when the code is void, and goes with five digits', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page)
      await sendDetails(page)
      const code = page.getByLabel('Code', { exact: true })
      await page.getByText('You have 5 tries left.').waitFor()
      await page.getByText('to your phone •••• 456.').waitFor()
      const repeated = page.getByRole('button', { name: /^Send another code in 0:\d\d$/ })
      expect(await repeated.isDisabled()).toBe(true)
      await page.locator('.checkout #code:focus').waitFor()
      for (const expected of [
        'You have 4 tries left.',
        'You have 3',
        'You have 2',
        'You have one try left.',
      ]) {
        await code.fill('00000')
        await submitCode(page)()
        await page.getByText(expected).waitFor()
        await page.getByText('The code is wrong.').waitFor()
      }
      await code.fill('1234')
      await page.getByText('The code is wrong.').waitFor()
      await code.fill('00000')
      expect(await page.getByText('The code is wrong.').count()).toBe(0)
      expect(await code.getAttribute('aria-invalid')).toBeNull()
      await submitCode(page)()
      await page.getByText('This code is no longer valid. Send another code.').waitFor()
      expect(await page.locator('#code-tries').isVisible()).toBe(false)
    })
  })

  it('of the card form goes too', async () => {
    const { ref } = await stagesOf(shop).revealed(agreement('fp1'))
    await withPage(formOf(ref, 'fp1'), async (page) => {
      const frame = page.frameLocator('iframe')
      await frame.locator('button:enabled').click()
      await frame.getByText('Please check the card details.').waitFor()
      for (const [name, text] of [
        ['number', '4111111111111111'],
        ['expiry', '12/40'],
        ['cvc', '123'],
      ] as const) {
        await frame.locator(`#${name}`).fill(text)
        expect(await frame.locator(`#${name}`).getAttribute('aria-invalid')).toBe('false')
      }
      expect(await frame.getByText('Please check the card details.').count()).toBe(0)
    })
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
