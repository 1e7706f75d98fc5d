import type { UnavailableCode } from '@plazo/core/internal'
import { DatabaseError } from 'pg'
import { describe, expect, it } from 'vitest'
import { isUnreachable, postgresUnavailable } from './unavailable.ts'

const errorWithCode = (code: string): Error => Object.assign(new Error('no'), { code })
const databaseError = (code: string, message = 'no'): Error =>
  Object.assign(new DatabaseError(message, 2, 'error'), { code })

describe('a database', () => {
  it.each([
    ['refuses connections', errorWithCode('ECONNREFUSED')],
    [
      'refuses them at each of its addresses',
      new AggregateError([errorWithCode('ECONNREFUSED'), errorWithCode('EHOSTUNREACH')]),
    ],
    ['has no name yet', errorWithCode('ENOTFOUND')],
    ['is starting', databaseError('57P03')],
    ['is shutting down', databaseError('57P01')],
    ['has no connection left', databaseError('53300')],
    ['takes no writes, as one that has not been promoted yet', databaseError('25006')],
    ['broke off', new Error('Connection terminated unexpectedly')],
    ['does not answer', errorWithCode('ETIMEDOUT')],
  ])('is unreachable after the error %s', (_, cause) => {
    expect(isUnreachable(cause)).toBe(true)
  })

  it.each([
    ['a wrong password', databaseError('28P01')],
    ['an unknown database', databaseError('3D000')],
    ['a value', databaseError('22P02')],
    ['nothing in particular', new Error('no')],
    ['something else', 'ECONNREFUSED'],
  ])('is reachable if it rejects %s', (_, cause) => {
    expect(isUnreachable(cause)).toBe(false)
  })
})

it.each<[UnavailableCode, Error]>([
  [
    'connection_refused',
    new AggregateError([errorWithCode('ECONNREFUSED'), errorWithCode('ECONNREFUSED')]),
  ],
  ['no_answer', errorWithCode('ETIMEDOUT')],
  ['connection_lost', new Error('Connection terminated unexpectedly')],
  ['connection_timeout', new Error('timeout exceeded when trying to connect')],
  ['read_only', databaseError('25006', 'cannot execute INSERT in a read-only transaction')],
  ['in_recovery', databaseError('25006', 'cannot execute LOCK TABLE during recovery')],
  ['disk_full', databaseError('53100')],
  ['statement_canceled', databaseError('57014')],
  ['session_terminated', databaseError('57P01')],
  ['starting_or_stopping', databaseError('57P03')],
  ['object_missing', databaseError('3D000')],
  ['prepared_statement', databaseError('42P05')],
  ['permission_denied', databaseError('42501')],
  ['wrong_password', databaseError('28P01')],
  [
    'host_not_allowed',
    databaseError('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "ana"'),
  ],
  ['too_many_clients', databaseError('53300', 'sorry, too many clients already')],
  ['too_many_connections', databaseError('53300', 'too many connections for role "ana"')],
  [
    'connections_reserved',
    databaseError('53300', 'remaining connection slots are reserved for superusers'),
  ],
  ['internal_error', databaseError('22P02')],
  ['unknown', new Error('no')],
])('the code of an error is %s', (code, cause) => {
  expect(postgresUnavailable(cause).code).toBe(code)
})
