// The console's pages for merchants in a real browser: an operator can do there what `plazo merchant`
// does, without scripts and without a mouse, and sees each mistake where they made it.
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { addressesAt, stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { addLamps, HOSTILE, OPERATOR, servedPages, tabTo } from '../harness/served-pages.ts'
import { basic, type Json, shopAt } from '../harness/shop.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
})

const DAY = 86_400

type Fields = Readonly<Record<string, string>>

/** As a client that is no browser. */
const send = (path: string, fields?: Fields): Promise<Response> =>
  fetch(`${server.url}/console/merchants${path}`, {
    headers: { authorization: basic('operator', 'operator') },
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })

const PASSWORDS: Fields = { demo: 'demo', bikes: 'bikes-secret', lamps: 'another' }

/** As the merchant reads it. */
const readMerchant = async (ref: string): Promise<Json> => {
  const { asMerchant } = shopAt(server.url, { username: ref, password: PASSWORDS[ref] ?? '' })
  return (await (await asMerchant('GET', `/merchants/${ref}/credentials`)).json()) as Json
}

const readFocus = (page: Page): Promise<string | null> => page.locator(':focus').getAttribute('id')

const fillNew = async (page: Page, fields: Fields): Promise<void> => {
  await page.getByText('Add a merchant…').click()
  for (const [label, text] of Object.entries(fields)) {
    await page.getByLabel(label, { exact: true }).fill(text)
  }
}

const BIKES = {
  ref: 'bikes',
  name: 'Bikes & Co',
  username: 'bikes',
  password: 'bikes-secret',
  currency: 'EUR',
  products: 'pp3, i1',
}

describe('a merchant', () => {
  it('can be added by keyboard, and the running server accepts them at once', async () => {
    await withPage('/console/merchants', async (page) => {
      await tabTo(page, /Add a merchant/)
      await page.keyboard.press('Enter')
      for (const [label, text] of Object.entries(BIKES)) {
        await tabTo(page, new RegExp(`^${label}`))
        await page.keyboard.type(text)
      }
      await tabTo(page, /^send action events/)
      await page.keyboard.press('Space')
      await tabTo(page, /^Add merchant$/)
      await page.keyboard.press('Enter')
      await page.getByRole('status').filter({ hasText: 'bikes is saved' }).waitFor()
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Bikes & Co')
    })
    const bikes = shopAt(server.url, { username: 'bikes', password: 'bikes-secret' })
    const credentials = await (await bikes.asMerchant('GET', '/merchants/bikes/credentials')).json()
    expect(credentials).toMatchObject({
      name: 'Bikes & Co',
      options: { send_action_events_in_identification: true },
    })
    await withPage('/console/merchants', async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'bikes' })
      expect(await row.textContent()).toMatch(/EUR.*pp3, i1/s)
    })
  })

  it('that is refused keeps what was typed, with each error at its field and the focus on the first', async () => {
    const rows = async (): Promise<string> => {
      const [, list = ''] = /<tbody>(.*)<\/tbody>/s.exec(await (await send('')).text()) ?? []
      return list
    }
    const before = await rows()
    await withPage(
      '/console/merchants',
      async (page) => {
        await fillNew(page, { ...BIKES, username: 'two:parts', country: 'UK' })
        await page.getByRole('button', { name: 'Add merchant' }).click()
        await page.getByText('(got "UK"). Use GB.').waitFor()
        expect(await readFocus(page)).toBe('username')
        const wrong = page.locator('[aria-invalid="true"]')
        expect(await wrong.evaluateAll((all) => all.map(({ id }) => id))).toEqual([
          'username',
          'country',
        ])
        expect(await page.getByLabel('name', { exact: true }).inputValue()).toBe('Bikes & Co')
        expect(await page.getByLabel('products').inputValue()).toBe('pp3, i1')
        expect(await page.getByLabel('password').inputValue()).toBe('')

        await page.getByLabel('username').fill('bikes')
        await page.getByLabel('password').fill('wrong')
        await page.getByLabel('country').fill('')
        await page.getByRole('button', { name: 'Add merchant' }).click()
        await page.getByText('password is wrong for the account').waitFor()
        expect(await readFocus(page)).toBe('password')
        await page.getByLabel('password').fill('bikes-secret')
        await page.getByRole('button', { name: 'Add merchant' }).click()
        await page.getByText('ref is the reference of another merchant').waitFor()
        expect(await readFocus(page)).toBe('ref')
      },
      { allows: /409/ },
    )
    expect(await rows()).toBe(before)
  })

  it('can be changed, which a form shows as it is stored', async () => {
    await withPage(
      '/console/merchants/bikes',
      async (page) => {
        await page.getByLabel('name', { exact: true }).fill('Bikes')
        await page.getByLabel('country').fill('UK')
        await page.getByLabel('currency').fill('PLN')
        await page.getByLabel('products').fill('fp1, pp3')
        await page.getByLabel('optional fields').fill('postal_code')
        await page.getByLabel('send action events').uncheck()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('country must be').waitFor()
        expect(await readFocus(page)).toBe('country')
        await page.getByLabel('country').fill('PL')
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('status').filter({ hasText: 'bikes is saved' }).waitFor()
        expect(await page.getByLabel('country').inputValue()).toBe('PL')
        expect(await page.getByLabel('optional fields').inputValue()).toBe('postal_code')
      },
      { allows: /409/ },
    )
    const all = { name: 'Bikes', country: 'PL', currency: 'PLN' }
    expect(await readMerchant('bikes')).toMatchObject({
      ...all,
      options: { send_action_events_in_identification: false },
    })
    await withPage('/console/merchants/bikes', async (page) => {
      await page.getByLabel('country').fill('')
      await page.getByLabel('optional fields').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').waitFor()
      expect(await page.getByLabel('optional fields').inputValue()).toBe('')
      expect(await page.getByLabel('products').inputValue()).toBe('fp1,pp3')
    })
    expect(await readMerchant('bikes')).toMatchObject({ ...all, country: null })
  })

  it('gets another password with their account, which the page says before', async () => {
    const [lamps, second] = [
      await addLamps(server),
      await addLamps(server, { ref: 'lamps-pt', name: 'Lamps Portugal' }),
    ]
    await withPage('/console/merchants/lamps', async (page) => {
      await page.getByText('Change the password…').click()
      await page.getByText('all merchants of the account lamps').waitFor()
      await page.getByLabel('password').fill('another')
      await page.getByRole('button', { name: 'Yes, change the password' }).click()
      await page.getByRole('status').filter({ hasText: 'lamps is saved' }).waitFor()
    })
    const path = '/merchants/lamps-pt/credentials'
    expect((await second.asMerchant('GET', path)).status).toBe(401)
    const changed = shopAt(server.url, { ...lamps.credentials, password: 'another' })
    expect((await changed.asMerchant('GET', path)).status).toBe(200)
  })

  it('is shown as text, whatever it is called', async () => {
    expect((await send('/bikes', { name: HOSTILE })).status).toBe(200)
    for (const path of ['', '/bikes'])
      await withPage(`/console/merchants${path}`, async (page) => {
        expect(await page.getByText(HOSTILE).count()).toBe(1)
        expect(await page.locator('main img, main script').count()).toBe(0)
      })
  })
})

describe('the list of merchants', () => {
  it('tells the health of both endpoints of each', async () => {
    const row = async (): Promise<string> => {
      let text: string | null = null
      await withPage('/console/merchants', async (page) => {
        text = await page.getByRole('row').filter({ hasText: 'demo' }).textContent()
      })
      return String(text).replaceAll(/\s+/g, ' ')
    }
    expect(await row()).toContain('IPN not called yetevents not called yet')
    const { merchant, ipn } = addressesAt(receiver, 'health')
    const settle = (order_ref_1: string) =>
      stagesOf(shop).settled({}, { merchant, merchant_reference: { order_ref_1 } })
    await settle('health-1')
    expect(await row()).toContain('IPN well')
    receiver.answer(ipn, { status: 503, body: '' })
    await settle('health-2')
    await shop.advance(DAY + 60)
    expect(await row()).toContain('IPN fails since ')
    await withPage('/console/merchants', async (page) => {
      await page.getByRole('row').filter({ hasText: 'demo' }).getByText('IPN').click()
      await page.getByRole('heading', { level: 1, name: 'demo IPN' }).waitFor()
    })
  })
})

describe('a signing secret', () => {
  const secretOf = async (): Promise<string> =>
    String((await readMerchant('demo')).signature_secret)

  it('is in no page that is only read, and is shown on demand by an answer that nobody stores', async () => {
    const secret = await secretOf()
    await withPage('/console/merchants/demo', async (page) => {
      expect(await page.content()).not.toContain(secret)
      await tabTo(page, /^Show the secret$/)
      const [shown] = await Promise.all([
        page.waitForResponse(/show-secret$/),
        page.keyboard.press('Enter'),
      ])
      await page.getByText(secret).waitFor()
      expect(shown.headers()['cache-control']).toBe('no-store')
    })
    expect(await (await send('')).text()).not.toContain(secret)
  })

  it('is rotated after a confirmation, and the page says until when the former one also signs', async () => {
    const former = await secretOf()
    const end = /^The former secret also signs, in Webhook-Signature, until ....-..-.. /
    await withPage('/console/merchants/demo', async (page) => {
      expect(await page.getByText(end).count()).toBe(0)
      await tabTo(page, /^Rotate the secret/)
      await page.keyboard.press('Enter')
      expect(await secretOf()).toBe(former)
      await tabTo(page, /^Yes, replace the secret$/)
      await page.keyboard.press('Enter')
      await page.getByRole('status').filter({ hasText: 'demo is saved' }).waitFor()
      await page.getByText(end).waitFor()
    })
    expect(await secretOf()).not.toBe(former)
    await shop.advance(DAY)
    await withPage('/console/merchants/demo', async (page) => {
      expect(await page.getByText(end).count()).toBe(0)
    })
  })

  it('may be a given one, and keeps what was typed if that is none', async () => {
    const secret = 'ab'.repeat(16)
    await withPage(
      '/console/merchants/demo',
      async (page) => {
        await page.getByText('Rotate the secret…').click()
        for (const [typed, error] of [
          ['xyz', 'secret must be 32 hex digits, or empty for random ones (got "xyz").'],
          [await secretOf(), 'secret is already the current secret.'],
        ] as const) {
          await page.getByLabel('secret').fill(typed)
          await page.getByRole('button', { name: 'Yes, replace the secret' }).click()
          await page.getByText(error).waitFor()
          expect(await readFocus(page)).toBe('secret')
          expect(await page.getByLabel('secret').inputValue()).toBe(typed)
        }
        await page.getByLabel('secret').fill(secret)
        await page.getByRole('button', { name: 'Yes, replace the secret' }).click()
        await page.getByRole('status').waitFor()
      },
      { allows: /409/ },
    )
    expect(await secretOf()).toBe(secret)
  })
})

describe('a form that a program sends', () => {
  it('changes only what it sends', async () => {
    expect((await send('/lamps', { name: 'Lamps 2', send_action_events: 'on' })).redirected).toBe(
      true,
    )
    expect(await readMerchant('lamps')).toMatchObject({
      name: 'Lamps 2',
      options: { send_action_events_in_identification: true },
    })
  })

  it('is a 404 for a merchant that does not exist', async () => {
    for (const path of ['', '/rotate-secret', '/show-secret'])
      expect((await send(`/nobody${path}`, {})).status).toBe(404)
    expect((await send('/nobody')).status).toBe(404)
  })
})
