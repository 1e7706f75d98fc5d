import { describe, expect, it, vi } from 'vitest'
import { type Log, openLog } from '../../log/log.ts'
import { createLogins, type Login, type LoginsOptions } from './logins.ts'
import { minuteLimit } from './rate-limits.ts'

const silent: Log = openLog('silent')

/** Passwords are checked when a test says so. */
const openLogins = (options: Partial<LoginsOptions> = {}) => {
  const clock = { now: 0 }
  const limit = minuteLimit({ max: 3, now: () => clock.now })
  const logins = createLogins('test', { limit, log: silent, ...options })
  const checks: (() => void)[] = []
  let checked = 0
  let atOnce = 0
  let most = 0
  const login = (password = 'right', overrides: Partial<Login> = {}) =>
    logins({
      username: 'demo',
      password,
      against: 'hash',
      address: () => '203.0.113.1',
      verify: async () => {
        checked += 1
        atOnce += 1
        most = Math.max(most, atOnce)
        await new Promise<void>((resolve) => checks.push(resolve))
        atOnce -= 1
        return password === 'right'
      },
      ...overrides,
    })
  /** Ends checks until no new one begins. */
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 5; ) {
      const ending = checks.splice(0)
      for (const end of ending) end()
      idle = ending.length === 0 ? idle + 1 : 0
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const all = async (pending: readonly ReturnType<typeof login>[]): Promise<readonly string[]> => {
    await settle()
    return (await Promise.all(pending)).map(({ type }) => type)
  }
  return { clock, login, all, settle, checked: () => checked, most: () => most }
}

const times = <A>(count: number, make: (n: number) => A): readonly A[] =>
  Array.from({ length: count }, (_, n) => make(n))

describe('a login', () => {
  it('with a correct password is cached: it is checked once', async () => {
    const { login, all, checked } = openLogins()
    expect(await all([login()])).toEqual(['right'])
    expect(await all(times(10, () => login()))).toEqual(times(10, () => 'right'))
    expect(checked()).toBe(1)
  })

  it('that arrives very often at once, over many connections, waits and is checked as one', async () => {
    const { login, all, checked } = openLogins({ maxWaiting: 2 })
    const address = (n: number) => ({ address: () => `203.0.113.${n}` })
    expect(await all(times(1_000, (n) => login('right', address(n % 7))))).toEqual(
      times(1_000, () => 'right'),
    )
    expect(checked()).toBe(1)
  })

  it('is checked again after the account’s password changed', async () => {
    const { login, all, checked } = openLogins()
    await all([login()])
    expect(await all([login('right', { against: 'another' })])).toEqual(['right'])
    expect(await all([login()])).toEqual(['right'])
    expect(checked()).toBe(3)
  })

  it('is the same regardless of Unicode composition, so it is checked once', async () => {
    const { login, all } = openLogins()
    const verify = vi.fn(async () => true)
    const spellings = ['contrase\u00f1a', 'contrasen\u0303a'].map((password) =>
      login(password, { verify }),
    )
    expect(await all(spellings)).toEqual(['right', 'right'])
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('with a wrong password counts each time, even if many with the same password arrive at once', async () => {
    const { login, all, checked } = openLogins()
    expect(await all(times(5, () => login('wrong')))).toEqual([
      'wrong',
      'wrong',
      'wrong',
      'limited',
      'limited',
    ])
    expect(checked()).toBe(3)
  })

  it('with a new correct password waits, because nobody can tell it from a guess', async () => {
    const { clock, login, all } = openLogins()
    await all(times(5, () => login('wrong')))
    expect(await all([login()])).toEqual(['limited'])
    clock.now = 60_000
    expect(await all([login()])).toEqual(['right'])
  })

  it('is counted per username and address', async () => {
    const { login, all } = openLogins()
    await all(times(5, () => login('wrong')))
    expect(await all([login('wrong', { address: () => '203.0.113.2' })])).toEqual(['wrong'])
    expect(await all([login('wrong', { username: 'other' })])).toEqual(['wrong'])
    expect(await all([login('right', { address: () => '203.0.113.2' })])).toEqual(['right'])
  })

  it('is checked next to at most one other, and refused if very many wait', async () => {
    const { login, all, most, checked } = openLogins({ maxWaiting: 10 })
    const logins = times(15, (n) => login('wrong', { username: `user ${n}` }))
    const verdicts = await all(logins)
    expect(verdicts.filter((type) => type === 'busy')).toHaveLength(5)
    expect(verdicts.filter((type) => type === 'wrong')).toHaveLength(10)
    expect([most(), checked()]).toEqual([2, 10])
    expect(await all([login('wrong', { username: 'later' })])).toEqual(['wrong'])
  })

  it('from another address is checked next and not refused, even if many wait from one address', async () => {
    const { login, all, settle } = openLogins({ maxWaiting: 10 })
    const ended: string[] = []
    const guesses = times(15, (n) =>
      login('wrong', { username: `user ${n}` }).then(({ type }) => ended.push(type)),
    )
    const other = login('right', { address: () => '203.0.113.2' }).then(({ type }) =>
      ended.push(type),
    )
    await settle()
    await Promise.all([...guesses, other])
    expect(ended.filter((type) => type === 'busy')).toHaveLength(5)
    expect(ended.filter((type) => type !== 'busy').indexOf('right')).toBeLessThan(4)
    expect(await all([login('wrong', { username: 'later' })])).toEqual(['wrong'])
  })

  it('has room up to an equal share for its address, even if others fill the queue', async () => {
    const { login, all } = openLogins({ maxWaiting: 10 })
    const from = (address: string, count: number) =>
      times(count, (n) => login('wrong', { username: `${address} ${n}`, address: () => address }))
    const logins = [from('203.0.113.1', 15), from('203.0.113.2', 8), from('203.0.113.3', 8)]
    const verdicts = await all(logins.flat())
    const busy = [verdicts.slice(0, 15), verdicts.slice(15, 23), verdicts.slice(23)].map(
      (overrides) => overrides.filter((type) => type === 'busy').length,
    )
    expect(busy).toEqual([5, 3, 5])
  })

  it('that is cached overtakes all that wait', async () => {
    const { login, all } = openLogins({ maxWaiting: 2 })
    await all([login()])
    const waiting = times(5, (n) => login('wrong', { username: `user ${n}` }))
    expect(await login()).toEqual({ type: 'right' })
    await all(waiting)
  })

  it('that cannot be checked fails alone, and frees its slot for the next', async () => {
    const { login, all } = openLogins()
    const verify = () => Promise.reject(new Error('no memory'))
    const failing = times(2, (n) =>
      expect(login('right', { username: `user ${n}`, verify })).rejects.toThrow('no memory'),
    )
    await Promise.all(failing)
    expect(await all([login()])).toEqual(['right'])
  })
})
