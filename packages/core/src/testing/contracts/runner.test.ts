import { expect, it } from 'vitest'
import { citeSection, type Runner } from './runner.ts'

it('a failure names the promise, the section, and what was seen', async () => {
  const checks: (() => unknown)[] = []
  const recorder: Runner = {
    describe: (_, define) => define(),
    it: (_, check) => void checks.push(check),
    beforeEach: () => {},
    afterEach: () => {},
    expect,
  }
  const { describe, it: promise, ...cited } = citeSection(recorder, 'Contract §6')
  describe('an attempt', () => {
    describe('of an IPN', () => promise('ends', () => cited.expect([1]).toEqual([])))
    promise('is recorded', () => cited.expect(1).toBe(2))
  })
  const messages = await Promise.all(
    checks.map(async (check) => {
      try {
        return await check()
      } catch (error) {
        return (error as Error).message
      }
    }),
  )
  expect(messages).toEqual([
    'an attempt of an IPN ends (Contract §6).\nexpected [ 1 ] to deeply equal []',
    'an attempt is recorded (Contract §6).\nexpected 1 to be 2 // Object.is equality',
  ])
})
