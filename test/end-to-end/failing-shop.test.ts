// What an operator sees of a shop that answers 500 to every IPN for two weeks while its orders
// expire, and once it is well again. Nothing else tells them that orders are lost: such an IPN is
// stopped with its order, so it is never exhausted.
import { systemTimers } from '@plazo/adapters/system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandLine, merchantWords } from '../harness/command-line.ts'
import { composeInMode, configFrom } from '../harness/config.ts'
import { pathOfTest } from '../harness/path-of-test.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { basic, type Json, shopAt } from '../harness/shop.ts'
import { addressesAt, checkoutOf, stagesOf } from './stages.ts'

const BASE_URL = 'http://localhost:3000'
const OPERATOR = basic('operator', 'operator')
const ENDPOINT = '/console/endpoints/demo/ipn'
const LOST = '/console/orders?merchant=demo&failing=true'
const HOUR = 3_600
const DAY = 24 * HOUR
const DAYS = 14
// As often as a server looks for shops that fail.
const ALERT_INTERVAL = 120_000

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

/** A server whose alert looks when the test says so. */
const openServer = async (env: Readonly<Record<string, string>>) => {
  const config = configFrom({ ...env, LOG_LEVEL: 'silent' })
  const logged: Json[] = []
  let look = async (): Promise<void> => {}
  const { app, stop } = await composeInMode(config, {
    baseUrl: BASE_URL,
    log: (event, fields) => void logged.push({ event, ...fields }),
    timers: {
      ...systemTimers,
      after: (millis, run) => {
        if (millis !== ALERT_INTERVAL) return systemTimers.after(millis, run)
        look = async () => run()
        return { cancel: () => {} }
      },
    },
  })
  const request = async (path: string, init?: RequestInit) => app.request(path, init)
  const text = async (path: string): Promise<string> => {
    const answer = await request(path, {
      headers: { accept: 'text/html', authorization: OPERATOR },
    })
    expect(answer.status).toBe(200)
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(await answer.text()) ?? []
    return main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  }
  return {
    text,
    stop,
    request,
    look: () => look(),
    alerts: () => logged.filter(({ event }) => String(event).startsWith('endpoint_')),
    shop: shopAt(BASE_URL, undefined, request),
  }
}

it('a shop that answers 500 for two weeks is named everywhere, with its lost orders, until it is well again', async () => {
  const env = { DATABASE_URL: `sqlite:${pathOfTest('plazo.db')}` }
  const command = commandLine(env)
  const server = await openServer(env)
  expect(
    await command.run(...merchantWords('well', { username: 'demo', password: 'demo' })),
  ).toMatchObject({ code: 0 })
  const { shop, text } = server
  const stages = stagesOf(shop)
  const [failing, well] = [addressesAt(receiver, 'failing'), addressesAt(receiver, 'well')]
  receiver.answer(failing.ipn, { status: 500 })
  const placeAt = async (id: string, { merchant }: typeof failing): Promise<string> =>
    stages.settled({}, { merchant: { id, ...merchant } })
  const metric = async (): Promise<string | undefined> =>
    (await (await server.request('/metrics')).text())
      .split('\n')
      .find((line) => line.startsWith('plazo_endpoint_failing_seconds{'))

  expect(await text('/console')).toContain('Nothing needs you')
  const lost: string[] = []
  for (let day = 0; day < DAYS; day++) {
    lost.push(await placeAt('demo', failing))
    await placeAt('well', well)
    await server.look()
    for (let hours = 0; hours < 24; hours += 12) await shop.advance(12 * HOUR)
  }
  const last = await placeAt('demo', failing)
  for (const ref of lost) expect(await checkoutOf(shop, ref)).toBe('expired')

  await server.look()
  const { alerts } = server
  expect(await text('/console')).toMatch(/demo has failed for 14 d.*: IPN\./)
  expect(await text('/console')).not.toContain('well')
  expect(await text('/console/endpoints')).toMatch(
    /One shop loses orders. See the expired orders of demo .*demo IPN fails since .*UTC/,
  )
  const page = await text(ENDPOINT)
  expect(page).toMatch(
    /fails since .* attempts, never well.*Last attempts.*500.*Can be saved 1 order.*shop demo does not accept our IPN\..*POST http.*\/merchants\/demo\/deliveries\/example/,
  )
  expect(await text(`${LOST}&checkout=expired`)).toMatch(/^ Orders 14 orders /)
  expect(await text(`${LOST}&checkout=confirming`)).toContain(last.slice(0, 8))
  for (const ref of lost) expect(await text(`${LOST}&checkout=expired`)).toContain(ref.slice(0, 8))
  expect(Number((await metric())?.split(' ').at(-1))).toBeGreaterThan(DAYS * DAY)
  expect(await metric()).toContain('{merchant="demo",kind="ipn"}')
  // Two weeks are one alert.
  expect(alerts()).toMatchObject([{ event: 'endpoint_failing', merchant_ref: 'demo', kind: 'ipn' }])
  const sick = await command.run('doctor')
  expect(sick).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^WRONG +shop fails +demo has failed for /m),
  })

  receiver.answer(failing.ipn, { status: 200 })
  const since = new Date(Date.now() - HOUR * 1000).toISOString().slice(0, 16)
  expect(await text(`${ENDPOINT}?recover=${since}`)).toContain('1 webhook')
  await server.request(`${ENDPOINT}/recover`, {
    method: 'POST',
    headers: { authorization: OPERATOR },
    body: new URLSearchParams({ since }),
  })
  await shop.advance(0)
  await server.look()
  expect(await checkoutOf(shop, last)).toBe('confirmed')
  expect(await text('/console')).toContain('Nothing needs you')
  expect(await text('/console/endpoints')).toContain('No endpoint fails.')
  expect(await text(ENDPOINT)).toMatch(/demo IPN well.*Can be saved 0 orders/)
  expect(await metric()).toBeUndefined()
  expect(alerts().slice(1)).toMatchObject([
    { event: 'endpoint_recovered', merchant_ref: 'demo', kind: 'ipn' },
  ])
  expect(await command.run('doctor')).toMatchObject({ code: 0 })
  await server.stop()
})
