import type { Context } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { openLog } from '../../log/log.ts'
import { requestError } from '../problem.ts'
import { createLogins, type Login } from './logins.ts'
import { minuteLimit } from './rate-limits.ts'

const wrong = requestError(401, 'Wrong.')

/** Passwords are checked when a test says so. */
const openLogins = () => {
  const clock = { now: 0 }
  const limit = minuteLimit(3, () => clock.now)
  const logins = createLogins({
    limit,
    addressOf: (c) => c.req.header('address') ?? '',
    log: openLog('silent'),
  })
  const checks: (() => void)[] = []
  let checked = 0
  let atOnce = 0
  let most = 0
  const verifyOf = (password: string) => async () => {
    checked += 1
    atOnce += 1
    most = Math.max(most, atOnce)
    await new Promise<void>((resolve) => checks.push(resolve))
    atOnce -= 1
    return password === 'right'
  }
  /** Resolves to the status of the answer. */
  const login = async (
    password = 'right',
    { address = '203.0.113.1', ...overrides }: Partial<Login & { readonly address: string }> = {},
  ): Promise<number> => {
    const c = { req: { header: () => address } } as unknown as Context
    const verify = verifyOf(password)
    const attempt = { c, username: 'demo', password, against: 'hash', verify, wrong, ...overrides }
    return logins(attempt).then(
      () => 200,
      ({ error }) => error?.status ?? 500,
    )
  }
  /** Ends checks until no new one begins. */
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 5; ) {
      const ending = checks.splice(0)
      for (const end of ending) end()
      idle = ending.length === 0 ? idle + 1 : 0
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const all = async (pending: readonly Promise<number>[]): Promise<readonly number[]> => {
    await settle()
    return Promise.all(pending)
  }
  return { clock, login, all, checked: () => checked, most: () => most }
}

const times = <A>(count: number, make: (n: number) => A): readonly A[] =>
  Array.from({ length: count }, (_, n) => make(n))

describe('a login', () => {
  it('with a correct password is checked once, and again after the account’s password changed', async () => {
    const { login, all, checked } = openLogins()
    expect(await all(times(1_000, () => login()))).toEqual(times(1_000, () => 200))
    expect(await all(times(10, () => login()))).toEqual(times(10, () => 200))
    expect(checked()).toBe(1)
    expect(await all([login('right', { against: 'another' })])).toEqual([200])
    expect(await all([login()])).toEqual([200])
    expect(checked()).toBe(3)
  })

  it('is the same regardless of Unicode composition, so it is checked once', async () => {
    const { login, all } = openLogins()
    const verify = vi.fn(async () => true)
    const spellings = ['contrase\u00f1a', 'contrasen\u0303a'].map((password) =>
      login(password, { verify }),
    )
    expect(await all(spellings)).toEqual([200, 200])
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('is checked next to at most one other, and refused if very many wait, unless it is cached', async () => {
    const { login, all, most, checked } = openLogins()
    await all([login()])
    const logins = times(300, (n) => login('guess', { username: `user ${n}` }))
    expect(await login()).toBe(200)
    const statuses = await all(logins)
    expect(statuses.filter((status) => status === 503)).toHaveLength(300 - 256)
    expect([most(), checked()]).toEqual([2, 1 + 256])
    expect(await all([login('guess', { username: 'later' })])).toEqual([401])
  })
})
