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
  describe('a lease', () => {
    describe('of a job', () => promise('ends', () => cited.expect([1]).toEqual([])))
    promise('is renewed', () => cited.expect(1).toBe(2))
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
    'a lease of a job ends (Contract §6).\nexpected [ 1 ] to deeply equal []',
    'a lease is renewed (Contract §6).\nexpected 1 to be 2 // Object.is equality',
  ])
})
