import { DatabaseError } from 'pg'
import { describe, expect, it } from 'vitest'
import { isUnreachable } from './connection-errors.ts'

const coded = (code: string): Error => Object.assign(new Error('no'), { code })
const refused = (code: string): Error => Object.assign(new DatabaseError('no', 2, 'error'), { code })

describe('a database', () => {
  it.each([
    ['refuses connections', coded('ECONNREFUSED')],
    ['refuses them at each of its addresses', new AggregateError([coded('ECONNREFUSED'), coded('EHOSTUNREACH')])],
    ['has no name yet', coded('ENOTFOUND')],
    ['is starting', refused('57P03')],
    ['is shutting down', refused('57P01')],
    ['has no connection left', refused('53300')],
    ['takes no writes, as one that has not been promoted yet', refused('25006')],
    ['broke off', new Error('Connection terminated unexpectedly')],
    ['does not answer', coded('ETIMEDOUT')],
  ])('that %s is away', (_, cause) => {
    expect(isUnreachable(cause)).toBe(true)
  })

  it.each([
    ['a wrong password', refused('28P01')],
    ['an unknown database', refused('3D000')],
    ['a value', refused('22P02')],
    ['nothing in particular', new Error('no')],
    ['something else', 'ECONNREFUSED'],
  ])('that refuses %s is not', (_, cause) => {
    expect(isUnreachable(cause)).toBe(false)
  })
})
