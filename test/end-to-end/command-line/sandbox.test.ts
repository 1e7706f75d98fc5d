// The commands for developers, next to a running sandbox: test persons, the clock and colours.
// Sandbox rules, Clock.
import { describe, expect, it } from 'vitest'
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

  it('prints the jobs as a list, then the time in words', async () => {
    await stagesOf(shop).proven(surnames('expiry event'))
    expect((await plazo.run('clock', '+1min')).stdout).toMatch(
      /^AT\tORDER_REF\tWHAT\n[\s\S]*^\S+\t\S+\t.+ \(timer screeningWindow\)\n[\s\S]*^The sandbox’s clock says \w+, .+ UTC \(\d{4}-\S+Z\)\.\n$/m,
    )
  })
})

describe('plazo demo', () => {
  it.each([
    ['Denial Event', 'rejected'],
    ['Luis review event', 'confirmed'],
    ['identity event', 'confirmed'],
  ])('runs the whole purchase of %s, and shows each step: %s', async (person, checkout) => {
    const { code, stdout } = await plazo.run('demo', person)
    expect(code).toBe(0)
    expect(stdout).toContain('▶ POST /sandbox/demo/orders')
    expect(stdout).toContain(`"checkout":"${checkout}"`)
    if (checkout === 'confirmed') expect(stdout).toContain('signature valid')
  })
})

const inProduction = commandLine({ MODE: 'production', BASE_URL: server.url })

it.each([
  [['clock', '+1year'], plazo, /^The move must be next, or a time such as \+30s/],
  [
    ['clock', '--url', 'http://127.0.0.1:9'],
    plazo,
    /^No server answers at http:\/\/127\.0\.0\.1:9\./,
  ],
  [
    ['demo', 'nobody'],
    plazo,
    /^The person must be one of Ana .*Eva \(denial event\).* \(got "nobody"\)/,
  ],
  [['clock'], inProduction, /^`plazo clock` exists only in a sandbox, but MODE is production\.\n$/],
  [['demo'], inProduction, /^`plazo demo` exists only in a sandbox, but MODE is production\.\n$/],
])('plazo %j ends with 1, and a sentence that says why', async (words, line, sentence) => {
  expect(await line.run(...words)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(sentence),
  })
})

describe('colours', () => {
  it('are never in a pipe, unless FORCE_COLOR asks for them', async () => {
    const env = { DATABASE_URL: 'sqlite:/nowhere/plazo.db' }
    expect((await commandLine(env).run('doctor')).stdout).toMatch(/^WRONG {2}/m)
    const { stdout } = await commandLine({ ...env, FORCE_COLOR: '1' }).run('doctor')
    expect(stdout).toContain('\u001b[31mWRONG\u001b[39m')
  })
})
