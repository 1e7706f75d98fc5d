import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AttemptTiming,
  failureEvents,
  nextAttemptAt,
  parseRetryAfter,
  SCHEDULES,
  WEEK,
} from './schedule.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const FIRST = Date.UTC(2026, 0, 5, 12)
const END = FIRST + 168 * HOUR

const timingOf = (overrides: Partial<AttemptTiming> = {}): AttemptTiming => {
  const startedAt = overrides.startedAt ?? FIRST
  return {
    key: 'k',
    kind: 'event',
    firstAt: FIRST,
    startedAt,
    endedAt: startedAt,
    retryAfterMillis: null,
    jitter: 0,
    ...overrides,
  }
}

/** The start of each attempt, in milliseconds after the first. */
const walkSchedule = (overrides: Partial<AttemptTiming>, lasts = 0): readonly number[] => {
  const starts = [FIRST]
  for (let at: number = FIRST; ; ) {
    const dueAt = nextAttemptAt(timingOf({ ...overrides, startedAt: at, endedAt: at + lasts }))
    if (dueAt === null) return starts.map((start) => start - FIRST)
    at = Math.max(dueAt, at + lasts)
    starts.push(at)
  }
}

describe('the schedule of a week', () => {
  it('has 24 attempts, the last exactly 604,800 s after the first', () => {
    expect(walkSchedule({}).map((millis) => millis / SECOND)).toEqual([
      ...[0, 10, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400],
      ...[36, 48, 60, 72, 84, 96, 108, 120, 132, 144, 156, 168].map((hours) => hours * 3_600),
    ])
    expect(WEEK).toHaveLength(24)
  })

  it('counts from the first attempt: an attempt of 30 s delays only the slot that it covers', () => {
    const starts = walkSchedule({}, 30 * SECOND)
    expect(starts.slice(0, 4)).toEqual([0, 30 * SECOND, 60 * SECOND, 300 * SECOND])
    expect(starts).toHaveLength(24)
    expect(starts.at(-1)).toBe(168 * HOUR)
  })

  it('is delayed by jitter, by at most a part of each step, except for the first and the last attempt', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.double({ min: 0, max: 0.5, noNaN: true }), (key, jitter) => {
        const starts = walkSchedule({ key, jitter })
        expect(starts).toHaveLength(24)
        for (const [index, slot] of WEEK.entries()) {
          const late = (starts[index] ?? 0) - slot
          const step = slot - (WEEK[index - 1] ?? 0)
          expect(late).toBeGreaterThanOrEqual(0)
          expect(late).toBeLessThanOrEqual(index === 0 || index === 23 ? 0 : step * jitter)
        }
      }),
    )
  })

  it('makes up for missed slots with one attempt, then takes the next future slot', () => {
    expect(nextAttemptAt(timingOf({ startedAt: FIRST + 5 * HOUR }))).toBe(FIRST + 8 * HOUR)
    expect(nextAttemptAt(timingOf({ startedAt: END + 50 * HOUR }))).toBeNull()
  })
})

describe('jitter', () => {
  it('spreads attempts over the whole part of the step, by whole milliseconds', () => {
    // The step from 24 h to 36 h after the first attempt.
    const parts = Array.from({ length: 200 }, (_, index) => {
      const timing = { key: `order:${index}:1:event`, jitter: 0.5, startedAt: FIRST + 24 * HOUR }
      const late = (nextAttemptAt(timingOf(timing)) ?? 0) - FIRST - 36 * HOUR
      expect(Number.isInteger(late)).toBe(true)
      return late / (6 * HOUR)
    })
    expect([Math.round(Math.min(...parts) * 10), Math.round(Math.max(...parts) * 10)]).toEqual([
      0, 10,
    ])
    expect(new Set(parts).size).toBe(200)
  })

  // FNV-1a of `k#1` is 0.674392… of 2³². The value must not change: nodes of two versions must
  // agree on when an attempt is due.
  it('is the same in every version', () => {
    expect(nextAttemptAt(timingOf({ key: 'k', jitter: 1 }))).toBe(FIRST + 10 * SECOND + 6743)
  })
})

describe('the schedule', () => {
  it.each(['ipn', 'event', 'sms', 'screening', 'cards'] as const)('of %s lasts a week', (kind) => {
    expect(walkSchedule({ kind })).toEqual(WEEK)
  })

  it.each(['session', 'payment'] as const)('of %s has five tries in a minute', (kind) => {
    expect(walkSchedule({ kind })).toEqual([0, 10, 20, 40, 60].map((at) => at * SECOND))
  })

  it.each(['void', 'refund', 'card', 'risk', 'watch', 'timer'] as const)(
    'of %s has no end: after the week, every twelve hours',
    (kind) => {
      expect(SCHEDULES[kind].slots).toEqual(WEEK)
      for (const [hours, wished, next] of [
        [0, null, 12],
        [12, null, 24],
        [0, 20, 20],
      ] as const) {
        const retryAfterMillis = wished && wished * HOUR
        const startedAt = END + hours * HOUR
        expect(nextAttemptAt(timingOf({ kind, startedAt, retryAfterMillis }))).toBe(
          END + next * HOUR,
        )
      }
    },
  )
})

describe('Retry-After', () => {
  it.each([
    [0, 10],
    [9, 10],
    [11, 11],
    [86_400, 86_400],
    [86_401, 86_400],
    [1e12, 86_400],
  ])('of %d s makes the first step one of %d s', (wished, seconds) => {
    expect(nextAttemptAt(timingOf({ retryAfterMillis: wished * SECOND }))).toBe(
      FIRST + seconds * SECOND,
    )
  })

  it('counts from the end of the attempt, which without it keeps its slot', () => {
    const endedAt = FIRST + 30 * SECOND
    expect(nextAttemptAt(timingOf({ endedAt }))).toBe(FIRST + 10 * SECOND)
    expect(nextAttemptAt(timingOf({ endedAt, retryAfterMillis: 60 * SECOND }))).toBe(
      FIRST + 90 * SECOND,
    )
  })

  it('never shortens a step, and lengthens it to 24 h at most', () => {
    fc.assert(
      fc.property(fc.nat(22), fc.nat(1e12), (index, wished) => {
        const startedAt = FIRST + (WEEK[index] ?? 0)
        const slot = FIRST + (WEEK[index + 1] ?? 0)
        const dueAt = nextAttemptAt(timingOf({ startedAt, retryAfterMillis: wished }))
        expect(dueAt).toBeGreaterThanOrEqual(slot)
        expect(dueAt).toBeLessThanOrEqual(Math.max(slot, startedAt + 24 * HOUR))
      }),
    )
  })

  // Columns: seconds from the first attempt to the end of this one, seconds asked for, and seconds
  // from the first attempt to the next one, while a shopper waits and otherwise.
  it.each([
    [0, 600, 60, 600],
    [0, 60, 60, 60],
    [0, 5, 10, 10],
    [30, 600, 90, 630],
    [60, 600, 300, 660],
    [300, 3_600, 900, 3_900],
    [599, 3_600, 900, 4_199],
    [599.999, 3_600, 900, 4_199.999],
    [600, 3_600, 4_200, 4_200],
    [601, 3_600, 4_201, 4_201],
    [900, 86_401, 87_300, 87_300],
  ])(
    'after an attempt at %d s lengthens a step of another event beyond 60 s or the slot, and one of the IPN only after ten minutes: %d s',
    (ended, wished, waiting, otherwise) => {
      const at = FIRST + ended * SECOND
      const timing = timingOf({ startedAt: at, retryAfterMillis: wished * SECOND })
      const nextIn = (kind: 'ipn' | 'event') =>
        ((nextAttemptAt({ ...timing, kind }) ?? 0) - FIRST) / SECOND
      expect([nextIn('ipn'), nextIn('event')]).toEqual([waiting, otherwise])
    },
  )

  it('keeps a shopper in the first ten minutes until the slot or for 60 s, whatever is asked for', () => {
    fc.assert(
      fc.property(
        fc.nat(599_999),
        fc.nat(30_000),
        fc.nat(1e12),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (startedAfter, lasts, retryAfterMillis, jitter) => {
          const startedAt = FIRST + startedAfter
          const timing = timingOf({ kind: 'ipn', startedAt, endedAt: startedAt + lasts, jitter })
          fc.pre(timing.endedAt < FIRST + 600 * SECOND)
          const unasked = nextAttemptAt(timing) ?? 0
          const dueAt = nextAttemptAt({ ...timing, retryAfterMillis })
          expect(dueAt).toBeGreaterThanOrEqual(unasked)
          expect(dueAt).toBeLessThanOrEqual(Math.max(unasked, timing.endedAt + 60 * SECOND))
        },
      ),
    )
  })

  it('that leads past the week allows exactly one attempt at that time', () => {
    const dueAt = nextAttemptAt(
      timingOf({ startedAt: FIRST + 156 * HOUR, retryAfterMillis: 24 * HOUR }),
    )
    expect(dueAt).toBe(END + 12 * HOUR)
    expect(nextAttemptAt(timingOf({ startedAt: dueAt ?? 0, retryAfterMillis: HOUR }))).toBeNull()
  })

  const at = Date.UTC(1994, 10, 6, 8, 49, 0)

  it.each([
    ['120', 120 * SECOND],
    [' 0 ', 0],
    ['1000000000', 1e12],
    ['99999999999999999999', 1e23],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37 * SECOND],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37 * SECOND],
    ['Sun Nov  6 08:49:37 1994', 37 * SECOND],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Wed, 16 Nov 1994 08:49:00 GMT', 240 * HOUR],
    ['Wed Nov 16 08:49:00 1994', 240 * HOUR],
  ])('is read from %j', (header, millis) => {
    expect(parseRetryAfter(header, at)).toBe(millis)
  })

  it.each([
    null,
    '',
    '-1',
    '1.5',
    '1e3',
    '5, 10',
    '5 s',
    's 5',
    'soon',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 25:49:37 GMT',
    ...[
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ].flatMap((date) => [`on ${date}`, `${date} (about)`]),
  ])('is ignored as %j', (header) => {
    expect(parseRetryAfter(header, at)).toBeNull()
  })
})

it.each([
  ['ipn', 'ipn.erred', 'ipn.exhausted'],
  ['cancel', null, 'cancel.exhausted'],
  ['session', null, 'session.unavailable'],
  ['payment', null, 'payment.unavailable'],
  ['notice', null, null],
])('an order learns of a failed attempt in the lane %s', (lane, repeated, last) => {
  const inReplyTo = `2f1c7e0a-5b7d-4c58-9a3e-0d6f1b8c9e21:4:${lane}`
  expect(failureEvents(inReplyTo)).toEqual({
    repeated: repeated && { type: repeated, inReplyTo },
    last: last && { type: last, inReplyTo },
  })
})
