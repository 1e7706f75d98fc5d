// Every page in every state, for the browser matrix. A new page or state is one more line here.
import type { Page } from 'playwright-core'
import { agreement, type stagesOf, surnames } from '../end-to-end/stages.ts'
import type { Receiver } from '../harness/receiver.ts'
import { CARD, CHALLENGED_CARD, DECLINED_CARD, type Shop } from '../harness/shop.ts'
import { CONFIRM, enterCode, fill, heading, pay, sendDetails } from './shopper-steps.ts'

type Stages = ReturnType<typeof stagesOf>

type PageState = {
  readonly name: string
  /** Brings an order into the state, and resolves to the path of the page. */
  readonly reach: (stages: Stages, shop: Shop, receiver: Receiver) => Promise<string>
  /** Does what brings the page itself into the state, which a reload would lose. */
  readonly act?: (page: Page) => Promise<void>
  /** The account that the browser signs in with. Default: the merchant `demo`. */
  readonly account?: 'operator'
  /** The page's status, which a browser logs. Default: 200. */
  readonly status?: 404 | 409
  /** True: another page frames it, whose heading is enough. A second one would be read out twice. */
  readonly isFramed?: boolean
}

const pathOf = (url: unknown): string => new URL(String(url)).pathname
const checkout = async (order: Promise<string>): Promise<string> => `/orders/${await order}/form_v2`
const machine = async (order: Promise<string>): Promise<string> => `/machine/orders/${await order}`
const payForm = async ({ revealed }: Stages): Promise<string> =>
  pathOf((await revealed(agreement('fp1'))).action.iframe_url)
const session = async ({ revealed }: Stages): Promise<string> =>
  pathOf((await revealed(surnames('identity event'))).action.session_url)

const fixedPage = (name: string, path: string, rest: Partial<PageState> = {}): PageState => ({
  name,
  reach: async () => path,
  ...rest,
})

/** The checkout of an order whose shop answers the IPN with this status. */
const answered =
  (status: number): PageState['reach'] =>
  ({ settled }, _, receiver) => {
    receiver.answer(`/${status}`, { status })
    return checkout(settled({}, { merchant: { notify_url: `${receiver.url}/${status}` } }))
  }

/** A minute later, without waiting for it. */
const waitMinute = async (page: Page): Promise<void> => {
  await page.clock.install()
  await page.reload()
  await page.locator('.spinner').waitFor()
  await page.clock.runFor(62_000)
  await page.locator('.way-out:visible').waitFor()
}

/** The checkout of an order with these surnames, after its screening ended. */
const trigger = (text: string): PageState => ({
  name: `the checkout of “${text}”`,
  reach: (stages) => checkout(stages.settled(surnames(text))),
})

/** An order that waits for the operator, with references as long as they may be. */
const placeHeld = ({ settled }: Stages): Promise<string> => {
  const order_ref_1 = `${crypto.randomUUID()}${'b'.repeat(200)}`
  return settled(surnames('review event'), {
    merchant_reference: { order_ref_1, order_ref_2: '2 '.repeat(100) },
  })
}

const onConsole = (
  name: string,
  path: string,
  before: PageState['reach'] = async () => '',
): PageState => ({
  name,
  reach: async (...scene) => `/console${path}${await before(...scene)}`,
  account: 'operator',
})

const newForm = (name: string, act: (page: Page) => Promise<void>, product = 'i1'): PageState => ({
  name,
  reach: async (_, shop) => `/orders/${await shop.place()}/form_v2?product=${product}`,
  act,
})

const identify = async (page: Page): Promise<void> => {
  await fill(page)
  await sendDetails(page)
  await heading(page, 'Enter the code').waitFor()
}

const KEPT = { ...agreement('fp1'), nin: '87654321X', mobile_phone: '611223344' }

const NO_ORDER = '00000000-0000-4000-8000-000000000000'

export const PAGE_STATES: readonly PageState[] = [
  {
    name: 'the checkout of a new order',
    reach: ({ identified }) => checkout(identified()),
  },
  {
    name: 'the checkout during screening',
    reach: ({ proven }) => checkout(proven(surnames('expiry event'))),
  },
  {
    name: 'the checkout after a minute of confirmation',
    reach: answered(500),
    act: waitMinute,
  },
  { name: 'the checkout after a conflict', reach: answered(409) },
  newForm('the checkout that cannot be opened', async (page) => {
    await page.route('**/summary?*', (route) => route.abort())
    await page.reload()
    await page.getByText('could not be opened').waitFor()
  }),
  {
    name: 'the checkout that awaits a payment',
    reach: ({ revealed }) => checkout(revealed(agreement('fp1')).then(({ ref }) => ref)),
  },
  newForm(
    'the checkout with every field wrong',
    async (page) => {
      await sendDetails(page)
      await page.getByRole('alert').filter({ hasText: 'marked' }).waitFor()
    },
    'pp3',
  ),
  newForm(
    'the checkout that offers plans',
    (page) => page.getByRole('radio').first().waitFor(),
    'pp3',
  ),
  newForm('the checkout after a wrong code', async (page) => {
    await identify(page)
    await page.getByLabel('Code', { exact: true }).fill('00000')
    await page.getByRole('button', { name: CONFIRM }).click()
    await page.getByText('The code is wrong').waitFor()
  }),
  newForm(
    'the checkout after a declined card',
    async (page) => {
      await identify(page)
      await enterCode(page)
      await pay(page, DECLINED_CARD)
      await page.getByText('The payment did not go through').waitFor()
      await page.frameLocator('iframe').getByLabel('CVC').waitFor()
    },
    'fp1',
  ),
  {
    name: 'the checkout that offers a saved card',
    reach: async ({ revealed }, shop) => {
      const { action } = await revealed(KEPT)
      await shop.form(String(action.iframe_url), { ...CARD, save: 'on' })
      await shop.advance(0)
      return checkout(revealed(KEPT).then(({ ref }) => ref))
    },
  },
  { name: 'the card form', reach: payForm, isFramed: true },
  {
    name: 'the card form with every field wrong',
    reach: payForm,
    isFramed: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Pay' }).click()
      await page.getByText('Please check').waitFor()
    },
  },
  {
    name: 'the card form that is no longer valid',
    reach: async ({ identified }) => `/sandbox/pay/${await identified()}/none`,
    status: 404,
  },
  {
    name: 'the bank’s question',
    reach: async ({ revealed }, shop) => {
      const { action } = await revealed(agreement('fp1'))
      return pathOf((await shop.pay(action.iframe_url, CHALLENGED_CARD)).src)
    },
  },
  { name: 'the ID session', reach: session },
  ...[
    'review event',
    'denial event',
    'alternative event',
    'identity event',
    'expiry event',
    'failure event',
  ].map(trigger),
  {
    name: 'an order on the statechart',
    reach: ({ settled }) => machine(settled()),
  },
  fixedPage('the statechart', '/machine', {
    act: async (page) => {
      const machine = page.locator('plazo-machine')
      await machine.evaluate((element) => element.setAttribute('view', 'picture'))
      await page.locator('#panel [data-state="checkout.open.identifying"]').click()
    },
  }),
  fixedPage('the privacy page', '/privacy'),
  fixedPage('the front page with all its choices', '/', {
    act: async (page) => {
      for (const summary of await page.locator('summary').all()) await summary.click()
    },
  }),
  {
    name: 'the front page during a purchase',
    reach: async ({ identified }) => `/?order=${await identified()}`,
    act: async (page) => {
      const timeline = page.getByRole('link', { name: 'Timeline' })
      if (await timeline.isVisible()) await timeline.click()
      await page
        .locator('.lines li', { hasText: 'POST …/identification' })
        .first()
        .locator('summary')
        .click()
    },
  },
  fixedPage('the shop’s own page', '/demo/return?order=A-1'),
  {
    name: 'the webhooks with an opened one',
    reach: ({ settled }) => settled().then(() => '/sandbox/demo/webhooks'),
    act: (page) => page.locator('.lines summary').first().click(),
  },
  fixedPage('the triggers', '/sandbox/triggers'),
  {
    name: 'the messages',
    reach: ({ identified }) => identified().then(() => '/sandbox/messages'),
  },
  fixedPage('the clock after an hour', '/sandbox/clock', {
    act: async (page) => {
      await page.getByRole('button', { name: '+1 h' }).click()
      await page.getByRole('heading', { name: 'What happened' }).waitFor()
    },
  }),
  onConsole('the console', '', (stages) => placeHeld(stages).then(() => '')),
  onConsole('the console that has found no order', '/orders?search=nowhere'),
  {
    ...onConsole('the decisions on the console', '/decisions', (stages) =>
      placeHeld(stages).then(() => ''),
    ),
    act: (page) => page.locator('summary', { hasText: 'Reject' }).first().click(),
  },
  onConsole('an order in review on the console', '/orders/', placeHeld),
  onConsole('a confirmed order on the console', '/orders/', ({ settled }) => settled()),
  { ...onConsole('an unknown order on the console', `/orders/${NO_ORDER}`), status: 404 },
  onConsole('an erasure on the console', '/orders/', async ({ settled }, shop) => {
    const ref = await settled()
    await shop.advance(0)
    return `${ref}/erase`
  }),
  onConsole('the orders on the console', '/orders?checkout=reviewing', (stages) =>
    placeHeld(stages).then(() => ''),
  ),
  onConsole('the endpoints on the console', '/endpoints', ({ settled }) =>
    settled().then(() => ''),
  ),
  onConsole('an endpoint on the console', '/endpoints/demo/ipn'),
  onConsole('the merchants on the console', '/merchants'),
  onConsole('a merchant on the console', '/merchants/demo'),
  {
    ...onConsole('a merchant that is refused on the console', '/merchants'),
    act: async (page) => {
      await page.getByText('Add a merchant…').click()
      for (const name of ['ref', 'name', 'username', 'password', 'currency', 'products'])
        await page.getByLabel(name, { exact: true }).fill('no:')
      await page.getByRole('button', { name: 'Add merchant' }).click()
      await page.locator('[aria-invalid]').first().waitFor()
    },
    status: 409,
  },
  {
    ...onConsole('a merchant with their secret on the console', '/merchants/demo'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Show the secret' }).click()
      await page.getByText('Rotate the secret…').click()
      await page.getByText('Change the password…').click()
    },
  },
]
