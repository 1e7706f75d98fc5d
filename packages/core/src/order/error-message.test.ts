import { describe, expect, it } from 'vitest'
import { describeThrown, errorMessage } from './error-message.ts'

describe('a thrown value', () => {
  it.each<[string, unknown, string]>([
    ['an error, by its message', new Error('The disk is full.'), 'The disk is full.'],
    ['an error without one, by its name', new TypeError(''), 'TypeError'],
    ['anything else, as a text', 42, '42'],
    [
      'several errors, by their own message',
      new AggregateError([new Error('one')], 'Both failed.'),
      'Both failed.',
    ],
    [
      'several without one, by theirs',
      new AggregateError([new Error('one'), 'two'], ''),
      'one, two',
    ],
  ])('has a message: %s', (_, thrown, message) => {
    expect(errorMessage(thrown)).toBe(message)
  })

  const throwError = (): never => {
    throw new Error('It cannot be read.')
  }
  const aggregate = (...errors: readonly unknown[]): AggregateError =>
    new AggregateError(errors, '')
  const NOTHING = 'Unknown error.'

  it.each<[string, unknown, string]>([
    ['an object without a prototype', Object.create(null), NOTHING],
    ['an object whose toString throws', { toString: throwError }, NOTHING],
    [
      'an error whose message throws',
      Object.defineProperty(new Error(''), 'message', { get: throwError }),
      NOTHING,
    ],
    ['an error whose message is no text', Object.assign(new Error(''), { message: 42 }), '42'],
    ['what throws when it is looked at', new Proxy({}, { getPrototypeOf: throwError }), NOTHING],
    ['several errors, one of which cannot be read', aggregate('one', Object.create(null)), NOTHING],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
  ])('has a message and never throws again: %s', (_, thrown, message) => {
    expect(errorMessage(thrown)).toBe(message)
  })
})

describe('a described error', () => {
  it('is JSON, with the names of the error, its code and its stack', () => {
    const thrown = Object.assign(new TypeError('no line'), { code: 'ECONNRESET' })
    const described = describeThrown(thrown)
    expect(described).toEqual({
      names: ['TypeError', 'TypeError'],
      message: 'no line',
      code: 'ECONNRESET',
      stack: thrown.stack,
    })
    expect(JSON.parse(JSON.stringify(described))).toEqual(described)
  })

  it('has no names if it is not an Error', () => {
    for (const thrown of ['a text', undefined])
      expect(describeThrown(thrown)).toMatchObject({ names: [], code: null, stack: null })
  })
})
