import type { Inspection } from '@plazo/adapters/internal/sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { sqliteFindings } from './database.ts'

const MIB = 2 ** 20

const findingOf = (name: string, overrides: Partial<Inspection>) => {
  const inspection: Inspection = {
    schema: { version: 1, latest: 1, fingerprint: '', fault: null },
    damage: [],
    bytes: 2 * MIB,
    walBytes: 0,
    freeBytes: 0,
    ...overrides,
  }
  return sqliteFindings('plazo.db', E.right(inspection)).find(({ check }) => check === name)
}

describe('the disk of a SQLite database', () => {
  it('is sufficient with 250 MiB, including the space of the log', () => {
    expect(findingOf('disk', { freeBytes: 250 * MIB })).toMatchObject({
      ok: true,
      says: '250.0 MiB free, database 2.0 MiB; 250.0 MiB needed',
    })
    expect(findingOf('disk', { freeBytes: 200 * MIB, walBytes: 50 * MIB })).toMatchObject({
      ok: true,
    })
  })

  it('is too small with less, and the result is explained', () => {
    expect(findingOf('disk', { freeBytes: 36 * MIB, walBytes: 3 * MIB })).toMatchObject({
      ok: false,
      says: '36.0 MiB free, database 2.0 MiB; 250.0 MiB needed',
      todo: expect.stringContaining('the log is kept smaller'),
    })
  })

  it('is full if no commit fits', () => {
    expect(findingOf('disk', { freeBytes: 4_096, walBytes: MIB })).toMatchObject({
      ok: false,
      todo: expect.stringContaining('It is full, so nothing can be committed'),
    })
  })
})

it('a long log of writes has a remedy', () => {
  expect(findingOf('write-ahead log', { walBytes: 1_100 * MIB })).toMatchObject({
    ok: false,
    says: '1100.0 MiB',
    todo: expect.stringContaining('A long read keeps the log from being emptied.'),
  })
})
