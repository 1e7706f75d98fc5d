// The console's lists of orders and merchants, and the forms for a merchant, over HTTP: they work
// without scripts, so a browser adds only the keyboard (test/pages/operator.test.ts). Contract §7.
import { describe, expect, it } from 'vitest'
import { addLamps, HOSTILE } from '../harness/served-pages.ts'
import { basic, type Json, shopAt } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { stagesOf, surnames } from './stages.ts'

const { server, shop, stages } = await servedShop()

type Fields = Readonly<Record<string, string>>

/** Reads a page of the console, or sends it a form. Follows what it redirects to. */
const call = (path: string, fields?: Fields): Promise<Response> =>
  fetch(`${server.url}/console/${path}`, {
    headers: { authorization: basic('operator', 'operator'), accept: 'text/html' },
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })

const textOf = async (answer: Promise<Response>): Promise<string> => (await answer).text()

describe('the list of orders', async () => {
  const referencesOf = (order_ref_1: string, order_ref_2 = '') => ({
    merchant_reference: { order_ref_1, order_ref_2 },
  })
  await shop.place(referencesOf('BIKES-100', 'INV-614'))
  const reviewRef = await stages.settled(surnames('review event'), referencesOf('BIKES-200'))
  await stages.settled({}, referencesOf(HOSTILE))
  const lamps = shopAt(server.url, (await addLamps(server)).credentials)
  await stagesOf(lamps).settled({}, { ...referencesOf('L-1'), merchant: { id: 'lamps' } })
  const escaped = '&lt;img src=x onerror=&quot;'

  const referencesIn = (text: string): readonly string[] =>
    [...text.matchAll(/<th scope="row"><a [^>]*><bdi>([^<]*)/g)].map(([, name = '']) =>
      name.startsWith(escaped) ? escaped : name,
    )

  it.each([
    ['', ['L-1', escaped, 'BIKES-200', 'BIKES-100']],
    ['?search=bikes', ['BIKES-200', 'BIKES-100']],
    ['?state=checkout%3Dconfirmed&merchant=demo', [escaped]],
    ['?since=2000-01-01&until=2000-01-02', []],
    ['?changed_since=2000-01-01&failing=true', ['L-1']],
  ])('%s shows %j', async (query, references) => {
    const text = await textOf(call(`orders${query}`))
    expect(referencesIn(text)).toEqual(references)
    expect(text.includes('No order found')).toBe(references.length === 0)
  })

  it('leads from a reference or the beginning of a uuid in the bar to the only order', async () => {
    for (const search of ['bikes-2', reviewRef.slice(0, 13)])
      expect((await call(`orders?search=${search}`)).url).toBe(
        `${server.url}/console/orders/${reviewRef}`,
      )
  })

  it('is exported with its filters, and is a 400 with a filter that says nothing', async () => {
    const csv = await call('orders.csv?search=BIKES-1&since=2020-01-01T00:00:00+01:00')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const bytes = Buffer.from(await csv.arrayBuffer())
    expect(bytes.subarray(0, 9).toString()).toBe('\ufeffplaced')
    expect(bytes.toString().match(/BIKES-\d+/g)).toEqual(['BIKES-100'])
    for (const query of ['checkout=lost', 'since=yesterday'])
      expect((await call(`orders?${query}`)).status).toBe(400)
  })

  it('comes in pages, with each order once', async () => {
    for (let n = 0; n < 50; n++) await shop.place(referencesOf(`many-${n}`))
    const first = await textOf(call('orders'))
    expect(referencesIn(first)).toHaveLength(50)
    const [, next = ''] = /href="(orders[^"]*)" rel="next"/.exec(first) ?? []
    expect(referencesIn(await textOf(call(next)))).toContain('BIKES-100')
  })
})

/** As the merchant reads it. */
const credentialsOf = async (ref: string, password: string): Promise<Json> => {
  const { asMerchant } = shopAt(server.url, { username: ref, password })
  const answer = await asMerchant('GET', `/merchants/${ref}/credentials`)
  return answer.status === 200 ? ((await answer.json()) as Json) : { status: answer.status }
}

const BIKES: Fields = {
  ref: 'bikes',
  name: 'Bikes & Co',
  username: 'bikes',
  password: 'bikes-secret',
  currency: 'EUR',
  products: 'pp3, i1',
}

describe('a merchant', () => {
  it('that is refused keeps what was typed, with each error at its field and the focus on the first', async () => {
    const refused = await call('merchants', { ...BIKES, username: 'two:parts', country: 'UK' })
    expect(refused.status).toBe(409)
    const text = await refused.text()
    const wrong = [...text.matchAll(/<input[^>]*id="(\w+)"[^>]*aria-invalid="true"( autofocus)?/g)]
    expect(wrong.map(([, id, focus]) => [id, focus])).toEqual([
      ['username', ' autofocus'],
      ['country', undefined],
    ])
    expect(text).toContain('(got &quot;UK&quot;)')
    expect(text).toContain('value="Bikes &amp; Co"')
    expect(text).not.toContain('bikes-secret')
    expect(await textOf(call('merchants'))).not.toContain('Bikes')
  })

  it('is added and changed at once by what a form sends, and shown as text', async () => {
    expect((await call('merchants', { ...BIKES, send_action_events: 'on' })).redirected).toBe(true)
    expect(await credentialsOf('bikes', 'bikes-secret')).toMatchObject({
      name: 'Bikes & Co',
      options: { send_action_events_in_identification: true },
    })
    for (const [fields, error] of [
      [{ password: 'wrong' }, 'password is wrong for the account'],
      [{}, 'ref is the reference of another merchant'],
    ] as const)
      expect(await textOf(call('merchants', { ...BIKES, ...fields }))).toContain(error)
    await call('merchants/bikes', { name: HOSTILE, country: 'PL', send_action_events: '' })
    expect(await credentialsOf('bikes', 'bikes-secret')).toMatchObject({
      name: HOSTILE,
      country: 'PL',
      currency: 'EUR',
      options: { send_action_events_in_identification: false },
    })
    for (const path of ['merchants', 'merchants/bikes'])
      expect(await textOf(call(path))).not.toContain('<img')
  })
})
