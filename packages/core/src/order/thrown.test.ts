import { describe, expect, it } from 'vitest'
import { messageOf } from './thrown.ts'

describe('what was thrown', () => {
  it.each<[string, unknown, string]>([
    ['an error, by its message', new Error('The disk is full.'), 'The disk is full.'],
    ['an error without one, by its name', new TypeError(''), 'TypeError'],
    ['anything else, as a text', 42, '42'],
    ['several errors, by their own message', new AggregateError([new Error('one')], 'Both failed.'), 'Both failed.'],
    ['several without one, by theirs', new AggregateError([new Error('one'), 'two'], ''), 'one, two'],
  ])('is told: %s', (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message)
  })
})
