// The commands for developers, next to a running sandbox: test persons, the clock and colours.
// Sandbox rules, Clock.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Drills } from '../../../packages/server/src/sandbox/webhooks/protocol.ts'
import { commandLine } from '../../harness/command-line.ts'
import { servedShop } from '../served-shop.ts'
import { stagesOf, surnames } from '../stages.ts'

const { server, shop } = await servedShop()
const plazo = commandLine({ BASE_URL: server.url, DATABASE_URL: 'sqlite::memory:' })

type Advanced = {
  readonly now: string
  readonly fired: readonly { readonly order_ref: string; readonly what: string }[]
}

const now = async (): Promise<number> =>
  Date.parse((await plazo.json<{ readonly now: string }>('clock')).now)

describe('plazo clock', () => {
  it('moves the clock of the running server, and lists the jobs that became due', async () => {
    const before = await now()
    const order = await stagesOf(shop).proven(surnames('expiry event'))
    const { fired } = await plazo.json<Advanced>('clock', '+1min')
    expect(fired.filter(({ order_ref }) => order_ref === order).map(({ what }) => what)).toContain(
      'timer screeningWindow',
    )
    expect((await now()) - before).toBeGreaterThanOrEqual(60_000)
  })

  it('moves to the next job, and no further', async () => {
    const order = await stagesOf(shop).proven(surnames('expiry event'))
    const before = await now()
    const { fired } = await plazo.json<Advanced>('clock', 'next')
    expect(fired.map(({ order_ref, what }) => [order_ref, what])).toContainEqual([
      order,
      'timer screeningWindow',
    ])
    expect((await now()) - before).toBeLessThan(70_000)
  })

  it('prints tab-separated lines in a pipe, then the time', async () => {
    await stagesOf(shop).proven(surnames('expiry event'))
    const { stdout } = await plazo.run('clock', '+1min')
    expect(stdout).toMatch(/^\S+\t\S+\ttimer screeningWindow\n/m)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d{4}-\S+Z$/)
  })

  it('says how far a long move is, apart from the answer', async () => {
    let endMove = (): void => {}
    const moving = { to: '2026-01-12T12:00:00.000Z', fired: 1_234 }
    const sandbox = createServer((request, response) => {
      if (request.method === 'POST')
        endMove = () => response.end(JSON.stringify({ now: '2026-01-12T12:00:00.000Z', fired: [] }))
      else {
        response.end(JSON.stringify({ now: '2026-01-07T12:00:00.000Z', moving }))
        setImmediate(() => endMove())
      }
    })
    await once(sandbox.listen(0, '127.0.0.1'), 'listening')
    const { port } = sandbox.address() as AddressInfo
    const { stdout, stderr } = await plazo.run(
      'clock',
      '+1week',
      '--url',
      `http://127.0.0.1:${port}`,
      '--json',
    )
    sandbox.close()
    expect(JSON.parse(stdout)).toEqual({ now: '2026-01-12T12:00:00.000Z', fired: [] })
    expect(stderr).toContain(
      '2026-01-07T12:00:00.000Z, moving to 2026-01-12T12:00:00.000Z: 1234 jobs have run\n',
    )
  })

  it.each(['1h', '+1year', 'soon'])('refuses %s', async (move) => {
    const { code, stderr } = await plazo.run('clock', move)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The move must be next, or a time such as \+30s/),
    ])
  })

  it('says so if no server answers', async () => {
    const { code, stderr } = await plazo.run('clock', '--url', 'http://127.0.0.1:9')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^No server answers at http:\/\/127\.0\.0\.1:9\./),
    ])
  })
})

describe('plazo trigger', () => {
  it('lists the test persons', async () => {
    const { stdout } = await plazo.run('trigger')
    expect(stdout).toMatch(/^denial event\tdenied/m)
  })

  it('runs the whole purchase of a person, and shows each step', async () => {
    const { code, stdout } = await plazo.run('trigger', 'Denial Event')
    expect(code).toBe(0)
    expect(stdout).toContain('▶ POST /orders as demo')
    expect(stdout).toContain('(signature valid)')
    expect(stdout).toContain('"checkout":"rejected"')
  })

  it('shows what a fault drill did to the shop’s webhooks', async () => {
    await plazo.run('drill', 'set', 'error_then_ok', '--event', 'ipn')
    const { code, stdout } = await plazo.run('trigger', 'cancellation event', '--product', 'i1')
    expect(code).toBe(0)
    const drills = [
      ...stdout.matchAll(
        /◀ (IPN, attempt \d: \d+), by the drill error_then_ok in the shop’s place/g,
      ),
    ]
    expect(drills.map(([, line]) => line)).toEqual(['IPN, attempt 1: 500', 'IPN, attempt 2: 200'])
    await plazo.run('drill', 'set', 'wrong_signature', '--event', 'denied')
    const denied = await plazo.run('trigger', 'denial event')
    expect(denied.stdout).toContain('denied, attempt 1: 401, by the drill wrong_signature\n')
    await shop.asMerchant('DELETE', '/sandbox/drills')
  })

  it('prints only the end as JSON', async () => {
    expect(await plazo.json('trigger', 'denial event', '--product', 'i1')).toEqual({
      order_ref: expect.any(String),
      state: expect.objectContaining({ checkout: 'rejected' }),
    })
  })

  it('names the persons if there is none of that name', async () => {
    const { code, stderr } = await plazo.run('trigger', 'nobody')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The name must be one of .*denial event.* \(got "nobody"\)/),
    ])
  })
})

describe('plazo drill', () => {
  type Drill = { readonly id: string }

  afterEach(() => shop.asMerchant('DELETE', '/sandbox/drills'))

  it('sets a drill for the next delivery of an event of one order, for as long as it says', async () => {
    const orderRef = await shop.place()
    const until = '2099-01-01T00:00:00Z'
    expect(
      await plazo.json(
        'drill',
        'set',
        'gone',
        '--event',
        'ipn',
        '--order',
        orderRef,
        '--until',
        until,
      ),
    ).toEqual([
      expect.objectContaining({
        fault: 'gone',
        event: 'ipn',
        order_ref: orderRef,
        count: 1,
        touched: 0,
      }),
    ])
    const { drills } = (await (await shop.asMerchant('GET', '/sandbox/drills')).json()) as Drills
    expect(await plazo.json('drill', 'list')).toEqual(drills)
  })

  it('takes any name of the order, and refuses one that is not of exactly one order', async () => {
    const orderRef = await shop.place({ merchant_reference: { order_ref_1: 'Drilled-1' } })
    await shop.place({ merchant_reference: { order_ref_1: 'Drilled-12' } })
    for (const name of ['drilled-1', orderRef.slice(0, 13)])
      expect(await plazo.json('drill', 'set', 'slow', '--order', name)).toContainEqual(
        expect.objectContaining({ order_ref: orderRef }),
      )
    await plazo.run('drill', 'clear')
    expect(await plazo.run('drill', 'set', 'slow', '--order', 'drilled')).toMatchObject({
      code: 1,
      stderr: '--order must be a name of exactly one order of the merchant (got "drilled").\n',
    })
  })

  it('draws a share from a seed', async () => {
    const set = ['drill', 'set', 'wrong_signature', '--share', '0.1', '--seed', 'monday'] as const
    expect(await plazo.json(...set)).toEqual([
      expect.objectContaining({
        fault: 'wrong_signature',
        count: null,
        share: 0.1,
        seed: 'monday',
      }),
    ])
  })

  it('lists drills as tab-separated lines, and ends one or all', async () => {
    await plazo.run('drill', 'set', 'slow', '--seconds', '2', '--count', '3')
    await plazo.run('drill', 'set', 'hang', '--event', 'ipn')
    const { stdout } = await plazo.run('drill', 'list')
    expect(stdout).toMatch(
      /^\S+\thang\tipn, any order\t0 of 1\t\S+Z\n\S+\tslow\tany event, any order\t0 of 3\t/,
    )
    const [first] = await plazo.json<readonly Drill[]>('drill', 'list')
    expect(await plazo.json('drill', 'clear', first?.id ?? '')).toEqual([
      expect.objectContaining({ fault: 'hang' }),
    ])
    expect(await plazo.run('drill', 'clear')).toMatchObject({ code: 0, stdout: '' })
    expect(await plazo.json('drill', 'list')).toEqual([])
  })

  it.each([
    [['set', 'boredom'], /^The fault must be one of duplicate, .*redirect \(got "boredom"\)/],
    [['set', 'slow', '--count', '0'], /^--count must be a whole number from 1 to 100/],
    [['set', 'slow', '--share', '2'], /^--share must be a number over 0, at most 1/],
    [
      ['set', 'slow', '--until', 'tomorrow'],
      /^--until must be an instant .*or a time such as \+10min/,
    ],
    [['set', 'slow', '--share', '1', '--count', '1'], /^Give either --count or --share/],
    [['clear', 'none'], /^The id must be that of a drill that `plazo drill list` lists/],
    [['list', '--password', 'wrong'], /answers 401/],
    [['list', '--merchant', 'lamps'], /answers 404|answers 403/],
  ])('refuses %j', async (words, message) => {
    expect(await plazo.run('drill', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message),
    })
  })
})

describe('a developer’s command', () => {
  it.each([
    ['clock'],
    ['trigger', 'denial event'],
    ['demo'],
    ['drill', 'set', 'slow'],
    ['drill', 'list'],
    ['drill', 'clear'],
  ])('does not exist in production: %s', async (...words) => {
    const { code, stdout, stderr } = await commandLine({
      MODE: 'production',
      BASE_URL: server.url,
    }).run(...words)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`\`plazo ${words[0]}\` exists only in a sandbox, but MODE is production.\n`)
  })
})

describe('colours', () => {
  const doctor = async (env: Readonly<Record<string, string>>): Promise<string> =>
    (await commandLine({ DATABASE_URL: 'sqlite:/nowhere/plazo.db', ...env }).run('doctor')).stdout

  it('are never in a pipe, unless FORCE_COLOR asks for them', async () => {
    expect(await doctor({})).toMatch(/^WRONG {2}/m)
    expect(await doctor({ FORCE_COLOR: '1' })).toContain('\u001b[31mWRONG\u001b[39m')
    expect(await doctor({ NO_COLOR: '1' })).not.toContain('\u001b')
  })
})

describe('plazo --version', () => {
  it('prints the version', async () => {
    expect((await plazo.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
