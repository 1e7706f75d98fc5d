// What an operator sees of a shop that answers 500 to every IPN while its orders expire, and once it is
// well again. Nothing else tells them that orders are lost: such an IPN is stopped with its order, so it
// is never exhausted. Contract §7.
import { expect, it } from 'vitest'
import { basic } from '../harness/shop.ts'
import { servedShopOnFile } from './served-shop.ts'
import { addressesAt, checkoutOf } from './stages.ts'

const { receiver, shop, stages, plazo } = await servedShopOnFile()

const authorization = basic('operator', 'operator')
const ENDPOINT = '/console/endpoints/demo/ipn'
const DAY = 86_400

const textOf = async (path: string): Promise<string> => {
  const headers = { accept: 'text/html', authorization }
  const answer = await shop.send('GET', path, undefined, headers)
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(await answer.text()) ?? []
  return main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

const failingMetric = async (): Promise<readonly string[]> =>
  (await (await shop.send('GET', '/metrics')).text())
    .split('\n')
    .filter((line) => line.startsWith('plazo_endpoint_failing_seconds{'))

it('a shop that answers 500 is named everywhere, with its lost orders, until it is well again', async () => {
  const { ipn, merchant } = addressesAt(receiver, 'failing')
  receiver.answer(ipn, { status: 500 })
  expect(await textOf('/console')).toContain('Nothing needs you')
  const lost = await stages.settled({}, { merchant })
  await shop.advance(2 * DAY)
  expect(await checkoutOf(shop, lost)).toBe('expired')
  const last = await stages.settled({}, { merchant })

  expect(await textOf('/console')).toMatch(/demo has failed for 2 d.*: IPN\./)
  expect(await textOf('/console/endpoints')).toMatch(
    /One shop loses orders. See the expired orders of demo .*demo IPN fails since .*UTC/,
  )
  expect(await textOf(ENDPOINT)).toMatch(
    /fails since .* attempts, never well.*Last attempts.*500.*Can be saved 1 order.*shop demo does not accept our IPN\..*POST http.*\/merchants\/demo\/deliveries\/example/,
  )
  const orders = '/console/orders?merchant=demo&failing=true'
  expect(await textOf(`${orders}&checkout=expired`)).toContain(lost.slice(0, 8))
  expect(await textOf(`${orders}&checkout=confirming`)).toContain(last.slice(0, 8))
  expect(await failingMetric()).toEqual([
    expect.stringMatching(/^plazo_endpoint_failing_seconds\{merchant="demo",kind="ipn"\} 17\d{4}/),
  ])
  expect(await plazo.run('doctor')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^WRONG +shop fails +demo has failed for /m),
  })

  receiver.answer(ipn, { status: 200 })
  const { now } = await shop.advance(0)
  const since = new Date(Date.parse(now) - 3_600_000).toISOString().slice(0, 16)
  expect(await textOf(`${ENDPOINT}?recover=${since}`)).toContain('1 webhook')
  await fetch(`${shop.url}${ENDPOINT}/recover`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ since }),
  })
  await shop.advance(0)
  expect(await checkoutOf(shop, last)).toBe('confirmed')
  expect(await textOf('/console')).toContain('Nothing needs you')
  expect(await textOf('/console/endpoints')).toContain('No endpoint fails.')
  expect(await textOf(ENDPOINT)).toMatch(/demo IPN well.*Can be saved 0 orders/)
  expect(await failingMetric()).toEqual([])
  expect(await plazo.run('doctor')).toMatchObject({ code: 0 })
})
