import { describe, expect, it } from 'vitest'
import { hashPassword, unmatchableHash, verifyPassword } from './password.ts'

const HASH = /^scrypt\$[\w-]{22}\$[\w-]{43}$/

describe('a password', () => {
  it('matches only its own hash', async () => {
    const hash = await hashPassword('demo')
    expect(await verifyPassword('demo', hash)).toBe(true)
    expect(await verifyPassword('Demo', hash)).toBe(false)
    expect(await verifyPassword('demo ', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
  })

  it('is checked while others are, and right after them', async () => {
    const hash = await hashPassword('demo')
    const checks = ['demo', 'a', 'b', 'demo', 'c'].map((password) => verifyPassword(password, hash))
    expect(await Promise.all(checks)).toEqual([true, false, false, true, false])
    expect(await verifyPassword('demo', hash)).toBe(true)
  })

  it('is hashed with its own salt each time', async () => {
    const [first, second] = await Promise.all([hashPassword('demo'), hashPassword('demo')])
    expect(first).toMatch(HASH)
    expect(first).not.toBe(second)
  })

  it('never matches an unmatchable hash, which has the form of all others', async () => {
    const hash = unmatchableHash()
    expect(hash).toMatch(HASH)
    expect(unmatchableHash()).not.toBe(hash)
    for (const password of ['', 'demo']) expect(await verifyPassword(password, hash)).toBe(false)
  })

  it('is the same regardless of Unicode composition', async () => {
    expect(await verifyPassword('contrasen\u0303a', await hashPassword('contrase\u00f1a'))).toBe(
      true,
    )
  })

  it.each(['demo', 'scrypt$c2FsdA$c2hvcnQ', 'bcrypt$c2FsdA$c2hvcnQ'])(
    'never matches a hash of another format: %j',
    async (hash) => {
      expect(await verifyPassword('demo', hash)).toBe(false)
    },
  )
})
