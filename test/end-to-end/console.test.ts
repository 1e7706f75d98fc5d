// The texts and the forms of the console's pages, over HTTP. Contract §2 and §7.
import { describe, expect, it } from 'vitest'
import { addLamps, HOSTILE } from '../harness/served-pages.ts'
import { basic, PERSON, shopAt } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, checkoutOf, requestsAt, stagesOf, stateOf, surnames } from './stages.ts'

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

describe('every page', () => {
  it('requires the operator’s credentials, and says to a stranger nothing else', async () => {
    for (const path of ['decisions', `orders/${await hold()}`, 'nothing-here']) {
      const answer = await fetch(`${server.url}/console/${path}`, { headers: { accept: BROWSER } })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        'Basic realm="console", charset="UTF-8"',
      ])
      expect(await answer.text()).not.toContain('Find an order')
    }
  })

  it('leads on if what it names does not exist', async () => {
    for (const path of [`orders/${crypto.randomUUID()}`, 'orders/none', 'nothing-here']) {
      const answer = await get(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=UTF-8',
      ])
      expect(await answer.text()).toMatch(/<h1>(Order n|N)ot found\.<\/h1>/)
    }
  })
})

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

  it('says what else it waits for, equal lines once, and names one time zone', async () => {
    const { events, merchant } = addressesAt(receiver, 'queued')
    receiver.answer(events, { status: 503 })
    const ref = await stages.settled({}, { merchant })
    for (const decision of ['request-cancellation', 'cancel'] as const)
      await shop.decide(ref, decision)
    await shop.advance(0)
    const words = await wordsOf(`orders/${ref}`)
    expect(words).toContain('The shop answers 503 to the event')
    expect(words.match(/\d\d:\d\d(?!:)(?! UTC)/g)).toBeNull()
  })

  it('escapes text that the merchant sent, and has no personal data of the shopper', async () => {
    const order_ref_1 = `<img src=x onerror=alert(1)>"'&\n${crypto.randomUUID()}`
    const references = { order_ref_1, order_ref_2: '</main>' }
    const paid = await stages.paid({}, { merchant_reference: references })
    const onHold = await stages.settled(surnames('review event'), {
      merchant_reference: { ...references, order_ref_1: `${order_ref_1}2` },
    })
    for (const [path, ref] of [
      [`orders/${paid}`, paid],
      ['decisions?kind=review', onHold],
    ] as const) {
      // The reference is random and may contain any of these texts.
      const text = (await textOf(path)).replaceAll(ref, '')
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
      expect(text).not.toContain('<img')
      expect(text.match(/<\/main>/g)).toHaveLength(1)
      const { given_names, mobile_phone, nin, address } = PERSON
      for (const own of [given_names, PERSON.surnames, mobile_phone, nin, address, '4111'])
        expect(text).not.toContain(own)
    }
  })

  it('offers exactly the decisions that are possible now', async () => {
    const review = await hold()
    expect(await decisionsIn(`orders/${await shop.place()}`)).toEqual([])
    expect(await decisionsIn(`orders/${review}`)).toEqual(['approve', 'reject'])
    const confirmed = await stages.settled(
      {},
      { merchant: { events_webhook: { url: 'http://127.0.0.1:9/' } } },
    )
    const page = `orders/${confirmed}`
    expect(await decisionsIn(page)).toEqual(['request-cancellation', 'cancel'])
    await shop.decide(confirmed, 'request-cancellation')
    expect(await decisionsIn(page)).toEqual(['cancel'])
    await shop.decide(confirmed, 'cancel')
    expect(await decisionsIn(page)).toEqual([])
    await shop.decide(review, 'reject')
    expect(await decisionsIn(`orders/${review}`)).toEqual([])
  })

  it('takes a decision once, about the order that its reader saw', async () => {
    const ref = await hold()
    const page = `orders/${ref}`
    const [reject, approve] = [await formIn(page, /reject$/), await formIn(page, /approve$/)]
    const [path, words] = await follow(reject)
    expect(path).toBe(`${page}?done=${ref}`)
    expect(words).toContain('rejected by the operator.')
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
  it('show each answer with its request, and no token of the URL', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'shown')
    receiver.answer(ipn, { status: 409, body: HOSTILE })
    const secret = { notify_url: `${merchant.notify_url}?token=geheim` }
    const ref = await stages.settled({}, { merchant: { ...merchant, ...secret } })
    const [sent] = requestsAt(receiver, ipn)
    const text = await textOf(`orders/${ref}`)
    expect(text).toContain('accepted, 409: the shop refuses the order')
    expect(text).toContain('&lt;img src=x')
    expect(text).not.toContain('<img')
    expect(text).toContain(`order_ref=${ref}`)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(text).toContain(String(sent?.headers[name]))
    expect(text).not.toContain('geheim')
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

describe('the erasure of a shopper', () => {
  it('names what goes, and then that nothing is left', async () => {
    const ref = await stages.settled()
    await shop.advance(0)
    expect(await textOf(`orders/${ref}`)).toContain(`orders/${ref}/erase"`)
    const words = await wordsOf(`orders/${ref}/erase`)
    expect(words).toContain('The shopper’s name, birthday')
    expect(words).toContain('Earlier backups. Only they can restore the data.')
    const erase = { url: `${server.url}/console/orders/${ref}/erase`, fields: {} }
    for (const _ of ['first', 'second'])
      expect(await follow(erase)).toEqual([
        `orders/${ref}/erase`,
        expect.stringContaining('Nothing of the shopper is left.'),
      ])
    expect((await shop.history(ref)).at(-1)).toMatchObject({ event: 'shopper.forgotten' })
  })

  it('is not offered while something is unfinished, and refused if it is requested', async () => {
    const ref = await stages.identified()
    const unfinished = 'The order’s checkout has not ended: it is verifying_phone.'
    const text = await textOf(`orders/${ref}/erase`)
    expect(text).toContain(unfinished)
    expect(text).not.toContain('<button')
    const refused = await send({ url: `${server.url}/console/orders/${ref}/erase`, fields: {} })
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining(`<h1>${unfinished}</h1>`),
    ])
    expect((await shop.history(ref)).at(-1)?.event).not.toBe('shopper.forgotten')
  })
})

describe('the list of decisions', () => {
  const referencesIn = async (path: string): Promise<readonly string[]> =>
    [...(await textOf(path)).matchAll(/<strong><bdi>([^<]*)<\/bdi><\/strong><\/a>/g)].map(
      ([, reference]) => reference ?? '',
    )

  /** An order whose merchant gives this answer to a cancel request. */
  const askToCancel = async (order_ref_1: string, status: number, body: string) => {
    const { events, merchant } = addressesAt(receiver, order_ref_1)
    receiver.answer(events, { status, body })
    const ref = await stages.settled({}, { merchant, merchant_reference: { order_ref_1 } })
    await shop.decide(ref, 'request-cancellation')
    await shop.advance(0)
    return ref
  }

  it('has each order under what it waits for, until it is decided', async () => {
    const review = await hold('counted')
    const askedRef = await askToCancel('asked', 200, '{"result":"retry","retry_in":60}')
    const unsupported = await askToCancel('unsupported', 501, '{"error":"unknown event"}')
    const listed = { review: 'counted', asked: 'asked', unsupported: 'unsupported' }
    for (const [kind, reference] of Object.entries(listed))
      expect(await referencesIn(`decisions?kind=${kind}`)).toContain(reference)
    expect(await wordsOf('decisions')).toMatch(/Cancel unsupported 1 order /)
    await shop.decide(review, 'reject')
    for (const ref of [askedRef, unsupported]) await shop.decide(ref, 'cancel')
    for (const [kind, reference] of Object.entries(listed))
      expect(await referencesIn(`decisions?kind=${kind}`)).not.toContain(reference)
  })

  it('comes in pages, the oldest first, with each order of a merchant once', async () => {
    const lamps = shopAt(server.url, (await addLamps(server)).credentials)
    const refs: string[] = []
    for (let n = 1; n <= 23; n++) {
      const merchant_reference = { order_ref_1: `L-${n}` }
      const order = { merchant: { id: 'lamps', notify_url: null }, merchant_reference }
      const ref = await stagesOf(lamps).settled(surnames('review event'), order)
      await lamps.put(ref, { state: 'on_hold', merchant: { id: 'lamps' } })
      refs.push(ref)
    }
    const first = 'decisions?kind=review&merchant=lamps'
    const [, next = ''] = /href="(decisions[^"]*)" rel="next"/.exec(await textOf(first)) ?? []
    const second = next.replaceAll('&amp;', '&')
    expect([...(await referencesIn(first)), ...(await referencesIn(second))]).toEqual(
      refs.map((_, n) => `L-${n + 1}`),
    )
    expect(await referencesIn('decisions?merchant=lamps')).toHaveLength(20)
    expect(await referencesIn(`decisions?merchant=${encodeURIComponent(HOSTILE)}`)).toEqual([])
  })

  it('comes back after a decision, focused on the next order', async () => {
    const refs = [await hold(), await hold(), await hold()]
    const list = 'decisions?kind=review&merchant=demo'
    const form = await formIn(list, new RegExp(`${refs[1]}/decisions/reject`))
    const answer = await send(form)
    const url = new URL(answer.headers.get('location') ?? '', form.url)
    expect(url.href).toContain(list)
    const text = await textOf(url.href)
    expect(text).toContain('rejected by the operator.')
    expect(/href="orders\/([^?]*)[^>]*autofocus/.exec(text)?.[1]).toBe(refs[2])
    // A form that is sent again is refused, and leads back to the list.
    const refused = await send(form)
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('console/decisions">Back</a>'),
    ])
    expect(await stateOf(shop, refs[1] ?? '')).toMatchObject({ checkout: 'cancelled' })
  })
})
