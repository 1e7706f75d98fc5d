// The texts and the forms of the console's pages, over HTTP. Contract §2 and §7.
import { describe, expect, it } from 'vitest'
import { HOSTILE } from '../harness/served-pages.ts'
import { basic, PERSON } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, checkoutOf, requestsAt, surnames } from './stages.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const authorization = basic('operator', 'operator')

const { server, receiver, shop, stages } = await servedShop()

const get = (path: string): Promise<Response> =>
  fetch(new URL(path, `${server.url}/console/`), { headers: { authorization, accept: BROWSER } })

const textOf = async (path: string): Promise<string> => (await get(path)).text()

/** The words of a page, without its markup. */
const wordsOf = async (path: string): Promise<string> =>
  (await textOf(path))
    .replace(/^[\s\S]*<main>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

type Form = { readonly url: string; readonly fields: Readonly<Record<string, string>> }

/** The form of a page whose action has this end before its query. */
const formIn = async (path: string, action: RegExp): Promise<Form> => {
  const text = await textOf(path)
  const forms = [...text.matchAll(/<form method="post" action="([^"]*)"[\s\S]*?<\/form>/g)]
  const [form = '', address = ''] = forms.find(([, each = '']) => action.test(each)) ?? []
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ])
  const url = new URL(address.replaceAll('&amp;', '&'), new URL(path, `${server.url}/console/`))
    .href
  return { url, fields: Object.fromEntries(fields) }
}

const send = ({ url, fields }: Form): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization,
      accept: BROWSER,
      origin: server.url,
      'sec-fetch-site': 'same-origin',
    },
    body: new URLSearchParams(fields),
  })

/** Where a form leads, and the words of that page. */
const follow = async (form: Form): Promise<readonly [path: string, words: string]> => {
  const answer = await send(form)
  expect(answer.status).toBe(303)
  const url = new URL(answer.headers.get('location') ?? '', form.url)
  return [url.href.replace(`${server.url}/console/`, ''), await wordsOf(url.href)]
}

const hold = (order_ref_1 = `R-${crypto.randomUUID()}`): Promise<string> =>
  stages.settled(surnames('review event'), { merchant_reference: { order_ref_1 } })

const decisionsIn = async (path: string): Promise<readonly string[]> =>
  [...(await textOf(path)).matchAll(/action="[^"]*\/decisions\/([\w-]+)/g)].map(
    ([, name]) => name ?? '',
  )

describe('the page of an order', () => {
  it('is where cancellation_request_url leads', async () => {
    const { events, merchant } = addressesAt(receiver, 'linked')
    const ref = await stages.settled({}, { merchant })
    await shop.decide(ref, 'request-cancellation')
    await shop.advance(0)
    const url = requestsAt(receiver, events)[0]?.fields.cancellation_request_url ?? ''
    expect(await textOf(url)).toContain(`<h1>Order <bdi>${ref}</bdi></h1>`)
  })

  it('says first what fails, since when and what the answer says, with the resend beside it', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'failing')
    receiver.answer(ipn, { status: 500, body: '<h1>PHP Fatal error</h1> in\norder.php' })
    const ref = await stages.settled({}, { merchant })
    await shop.advance(3_600)
    const words = await wordsOf(`orders/${ref}`)
    expect(words).toMatch(
      /The shop answers 500 to the IPN , \d times since \S+ [\d:]+ UTC \. Its page says: PHP Fatal error in order\.php If everybody stays silent, .* UTC: Expired\. Resend…/,
    )
    // Equal answers are one line.
    expect(words.match(/failed, 500: the shop did not accept it × \d/g)).toHaveLength(1)
    expect(words).not.toContain('The shop did not accept the IPN')
  })

  it('offers only the decisions that are possible now, and takes one once, about the order that its reader saw', async () => {
    const ref = await hold()
    const page = `orders/${ref}`
    expect(await decisionsIn(page)).toEqual(['approve', 'reject'])
    const [reject, approve] = [await formIn(page, /reject$/), await formIn(page, /approve$/)]
    const [path, words] = await follow(reject)
    expect(path).toBe(`${page}?done=${ref}`)
    expect(words).toContain('rejected by the operator.')
    expect(await decisionsIn(page)).toEqual([])
    for (const form of [reject, approve, { ...approve, fields: {} }]) {
      const refused = await send(form)
      expect(refused.status).toBe(409)
      const text = await refused.text()
      expect(text).toContain('<h1>The order has changed since this decision was offered')
      const [, back = ''] = /href="([^"]*)">Back</.exec(text) ?? []
      expect(new URL(back, form.url).href).toBe(`${server.url}/console/${page}`)
    }
    const events = (await shop.history(ref)).map(({ event }) => event)
    expect(events.filter((event) => event.startsWith('review.'))).toEqual(['review.rejected'])
  })
})

describe('the deliveries of an order', () => {
  it('show each answer with its request, all as text, and neither a token of the URL nor personal data of the shopper', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'shown')
    receiver.answer(ipn, { status: 409, body: HOSTILE })
    const notify_url = `${merchant.notify_url}?token=geheim`
    const references = {
      order_ref_1: `${HOSTILE}"'&\n${crypto.randomUUID()}`,
      order_ref_2: '</main>',
    }
    const order = { merchant: { ...merchant, notify_url }, merchant_reference: references }
    const ref = await stages.paid({}, order)
    const [sent] = requestsAt(receiver, ipn)
    const text = await textOf(`orders/${ref}`)
    expect(text).toContain('accepted, 409: the shop refuses the order')
    expect(text).toContain(`order_ref=${ref}`)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(text).toContain(String(sent?.headers[name]))
    expect(text).toContain('&lt;img src=x')
    expect(text).not.toContain('<img')
    expect(text.match(/<\/main>/g)).toHaveLength(1)
    const { given_names, mobile_phone, nin, address } = PERSON
    for (const hidden of ['geheim', given_names, PERSON.surnames, mobile_phone, nin, address])
      expect(text).not.toContain(hidden)
  })

  it('are resent once, unless there was another attempt meanwhile', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'resent')
    receiver.answer(ipn, { status: 503 })
    const ref = await stages.settled({}, { merchant })
    const form = await formIn(`orders/${ref}`, /resend/)
    receiver.answer(ipn, { status: 200 })
    const [, words] = await follow(form)
    expect(words).toContain('Done.')
    await shop.advance(0)
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
    const refused = await send(form)
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('<h1>There was another attempt'),
    ])
    const other = await hold()
    const url = form.url.replace(`orders/${ref}`, `orders/${other}`)
    expect((await send({ ...form, url })).status).toBe(409)
  })
})

it('the page of an order hands out the shopper’s data as a file that no cache keeps, and notes the operator', async () => {
  const ref = await stages.settled()
  const page = `orders/${ref}`
  expect(await textOf(page)).not.toContain(PERSON.nin)
  const answer = await send(await formIn(page, /personal-data$/))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="personal-data-${ref}.json"`,
  )
  expect(await answer.json()).toMatchObject({ order_ref: ref, person: { nin: PERSON.nin } })
  expect(await wordsOf(page)).toContain('The shopper’s data was shown by the operator')
  expect((await get(`${page}/personal-data`)).status).toBe(405)
})
