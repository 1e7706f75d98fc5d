// A contract uses only these functions of a test runner, so that it runs wherever the code under test
// runs. vitest and Jest have them under these names, and `node:test` lacks only `expect`.

/** The checks that contracts make. `toEqual` ignores members that are undefined, as Jest's does. */
type Checks = {
  toBe(expected: unknown): void
  toBeGreaterThan(limit: number): void
  toBeLessThanOrEqual(limit: number): void
  toContain(part: unknown): void
  toEqual(expected: unknown): void
  toHaveLength(length: number): void
  toMatchObject(expected: object): void
  toThrow(message: string): void
}

/** The checks of one value, and their opposites. */
type Matchers = Checks & { readonly not: Checks }

/** Begins a check of what was seen. Its members build expectations that many values satisfy. */
export type Expect = {
  (seen: unknown): Matchers
  any(type: unknown): unknown
  arrayContaining(parts: unknown[]): unknown
  stringMatching(pattern: RegExp): unknown
}

/**
 * A test runner: `import * as vitest from 'vitest'` is one, and `@plazo/core/testing/vitest` and
 * `/node` have one each. Hooks run for each test of their `describe`.
 */
export type Runner = {
  describe(title: string, define: () => void): void
  it(title: string, check: () => void | Promise<void>): void
  beforeEach(prepare: () => unknown): void
  afterEach(cleanUp: () => unknown): void
  readonly expect: Expect
}

/**
 * A runner whose failures name the promise, the section of the documents that makes it, and then what
 * was seen. A title alone is lost where only messages are read, as in a log.
 */
export const citeSection = (runner: Runner, section: string): Runner => {
  let subject = ''
  return {
    ...runner,
    describe: (title, define) => {
      const whole = `${subject}${title} `
      runner.describe(title, () => {
        const outer = subject
        subject = whole
        define()
        subject = outer
      })
    },
    it: (title, check) => {
      const promise = `${subject}${title}`
      runner.it(title, async () => {
        try {
          await check()
        } catch (error) {
          // The runner reads everything else of its own error: the difference, and the line.
          if (error instanceof Error) error.message = `${promise} (${section}).\n${error.message}`
          throw error
        }
      })
    },
  }
}
