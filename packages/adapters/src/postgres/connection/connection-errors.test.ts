import type { UnavailableCode } from '@plazo/core'
import { DatabaseError } from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresUnavailable } from '../unavailable.ts'
import { isUnreachable } from './connection-errors.ts'

const coded = (code: string): Error => Object.assign(new Error('no'), { code })
const refused = (code: string, message = 'no'): Error => Object.assign(new DatabaseError(message, 2, 'error'), { code })

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
  ])('is unreachable after the error %s', (_, cause) => {
    expect(isUnreachable(cause)).toBe(true)
  })

  it.each([
    ['a wrong password', refused('28P01')],
    ['an unknown database', refused('3D000')],
    ['a value', refused('22P02')],
    ['nothing in particular', new Error('no')],
    ['something else', 'ECONNREFUSED'],
  ])('is reachable if it rejects %s', (_, cause) => {
    expect(isUnreachable(cause)).toBe(false)
  })
})

describe('the code of an error', () => {
  it.each<[UnavailableCode, Error]>([
    ['connection_refused', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])],
    ['no_answer', coded('ETIMEDOUT')],
    ['connection_lost', new Error('Connection terminated unexpectedly')],
    ['connection_timeout', new Error('timeout exceeded when trying to connect')],
    ['read_only', refused('25006', 'cannot execute INSERT in a read-only transaction')],
    ['in_recovery', refused('25006', 'cannot execute LOCK TABLE during recovery')],
    ['disk_full', refused('53100')],
    ['statement_canceled', refused('57014')],
    ['session_terminated', refused('57P01')],
    ['starting_or_stopping', refused('57P03')],
    ['object_missing', refused('3D000')],
    ['prepared_statement', refused('42P05')],
    ['permission_denied', refused('42501')],
    ['wrong_password', refused('28P01')],
    ['host_not_allowed', refused('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "ana"')],
    ['too_many_clients', refused('53300', 'sorry, too many clients already')],
    ['too_many_connections', refused('53300', 'too many connections for role "ana"')],
    ['connections_reserved', refused('53300', 'remaining connection slots are reserved for superusers')],
    ['internal_error', refused('22P02')],
    ['unknown', new Error('no')],
  ])('is %s', (code, cause) => {
    expect(postgresUnavailable(cause).code).toBe(code)
  })
})
