import { describe, expect, it } from 'vitest'
import { instantOf } from './instant.ts'

describe('an instant', () => {
  it.each<[string, number]>([
    ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00:00.250Z', Date.UTC(2026, 0, 31, 12, 0, 0, 250)],
    ['2026-01-31T12:00:00+02:00', Date.UTC(2026, 0, 31, 10)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
  ])('is accepted as %s', (input, at) => {
    expect(instantOf(input)).toBe(at)
  })

  it.each([
    '',
    'yesterday',
    '2026-01-31T12:00:00',
    '2026-02-30',
    '2026-02-30T12:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:00+99:99',
    '1767614400000',
    1_767_614_400_000,
    null,
    undefined,
    {},
    ['2026-01-31'],
  ])('is rejected as %j', (input) => {
    expect(instantOf(input)).toBeNull()
  })
})
