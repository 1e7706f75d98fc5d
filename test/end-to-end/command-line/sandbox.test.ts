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
    const { stdout } = await plazo.run('clock', '+1min')
    expect(stdout).toMatch(/^AT\tORDER_REF\tWHAT\n/)
    expect(stdout).toMatch(/^\S+\t\S+\t.+ \(timer screeningWindow\)\n/m)
    expect(stdout).toMatch(/\nThe sandbox’s clock says \w+, .+ UTC \(\d{4}-\S+Z\)\.\n$/)
  })

  it.each(['1h', '+1year'])('refuses %s', async (move) => {
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

describe('plazo demo', () => {
  it('runs the whole purchase of a person, and shows each step', async () => {
    const { code, stdout } = await plazo.run('demo', 'Denial Event')
    expect(code).toBe(0)
    expect(stdout).toContain('▶ POST /sandbox/demo/orders')
    expect(stdout).toContain('signature valid')
    expect(stdout).toContain('"checkout":"rejected"')
  })

  it('names the persons if there is none of that name', async () => {
    const { code, stderr } = await plazo.run('demo', 'nobody')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The person must be one of Ana .*Eva \(denial event\).* \(got "nobody"\)/,
      ),
    ])
  })
})

describe('a developer’s command', () => {
  it.each([['clock'], ['demo']])('does not exist in production: %s', async (...words) => {
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
