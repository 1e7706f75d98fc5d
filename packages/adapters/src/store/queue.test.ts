// Whose turn it is decides how fast a shop hears of its orders while others hang. The queue in memory
// is compared with a model that keeps every job in one list and looks through all of them.
import type { ClaimRequest, EndpointKind, OrderJob } from '@plazo/core/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DueRow } from './base.ts'
import { createQueue } from './queue.ts'

type Row = DueRow
type Capacity = ClaimRequest['capacity']

const MERCHANTS = ['north', 'south', 'corner'] as const
/** Two of them share an account. */
const accountOf = (merchant: string): string => merchant.slice(-2)

const inSequence = (a: Row, b: Row): number => a.dueAt - b.dueAt || a.order - b.order || a.n - b.n
const nameOf = ({ ref, n }: Pick<Row, 'ref' | 'n'>): string => `${ref} ${n}`
const isSame = (a: Row, b: Row): boolean => nameOf(a) === nameOf(b)
const endpointOf = ({ merchant, queue }: Row): string => `${queue} ${merchant}`

const aRow = (order: number, n: number, changes: Partial<Row> = {}): Row => {
  const { merchant = MERCHANTS[order % MERCHANTS.length] ?? '' } = changes
  const account = accountOf(merchant)
  return {
    ref: `order-${order}`,
    order,
    n,
    dueAt: 0,
    queue: 'event',
    merchant,
    account,
    ...changes,
  }
}

const toJob = ({ n, dueAt, queue, merchant, account }: Row): OrderJob => ({
  n,
  dueAt,
  queue,
  merchantRef: merchant,
  account,
  state: 'pending',
  revision: 1,
  lane: 'action',
  event: null,
  expiresAt: null,
  excludes: null,
  attempts: 0,
  tries: 0,
  firstAt: null,
  isRevoked: false,
  cause: null,
  resendOf: null,
  madeAt: 0,
  message: null,
})

/** The rule of a claim, as `ClaimRequest` says it. */
const openModel = () => {
  let waiting: readonly Row[] = []
  let running: readonly Row[] = []
  const good = new Set<string>()

  const kindOf = (row: Row): 'work' | 'good' | 'notGood' => {
    if (row.queue === 'work') return 'work'
    return good.has(endpointOf(row)) ? 'good' : 'notGood'
  }
  const groupOf = (row: Row): string =>
    kindOf(row) === 'work' ? 'work' : `${kindOf(row)} ${row.queue} ${row.account}`
  const runningWith = (row: Row, by: (row: Row) => string): number =>
    running.filter((other) => by(other) === by(row)).length

  const mayStart = (row: Row, rest: Capacity, perAccount: number | null): boolean => {
    const kind = kindOf(row)
    if (kind === 'work') return rest.internal > 0
    if (rest.deliveries === 0) return false
    if (kind === 'good') return perAccount === null || runningWith(row, groupOf) < perAccount
    return rest.notGood > 0 && (perAccount === null || runningWith(row, endpointOf) === 0)
  }

  const minus = (rest: Capacity, row: Row): Capacity => {
    const kind = kindOf(row)
    return {
      internal: rest.internal - Number(kind === 'work'),
      deliveries: rest.deliveries - Number(kind !== 'work'),
      notGood: rest.notGood - Number(kind === 'notGood'),
    }
  }

  const takeAll = (
    { at, capacity, perAccount }: ClaimRequest,
    isBusy: (ref: string) => boolean,
  ): readonly Row[] => {
    if (capacity.deliveries + capacity.internal === 0) return []
    const [first] = waiting
      .filter((row) => row.dueAt <= at && !isBusy(row.ref) && mayStart(row, capacity, perAccount))
      .map((row) => ({ row, inFlight: runningWith(row, groupOf) }))
      .sort((a, b) => a.inFlight - b.inFlight || inSequence(a.row, b.row))
      .map(({ row }) => row)
    if (first === undefined) return []
    const rest = minus(capacity, first)
    waiting = waiting.filter((row) => row !== first)
    running = [...running, first]
    return [first, ...takeAll({ at, capacity: rest, perAccount }, isBusy)]
  }

  return {
    takeAll,
    add: (rows: readonly Row[]): void => {
      waiting = [...waiting, ...rows]
    },
    remove: (row: Row): void => {
      waiting = waiting.filter((other) => other !== row)
    },
    end: (row: Row): void => {
      running = running.filter((other) => !isSame(other, row))
    },
    judge: (merchant: string, kind: EndpointKind, isGood: boolean): void => {
      if (isGood) good.add(`${kind} ${merchant}`)
      else good.delete(`${kind} ${merchant}`)
    },
    waiting: () => waiting.toSorted(inSequence),
    running: () => running,
    good: () =>
      MERCHANTS.flatMap((merchant) =>
        (['event', 'ipn'] as const).flatMap((kind) =>
          good.has(`${kind} ${merchant}`) ? [{ merchant, kind }] : [],
        ),
      ),
  }
}

const aQueue = (adopted: Parameters<typeof createQueue>[0] = []) => {
  const queue = createQueue(adopted, () => false)
  queue.reachTo(Number.POSITIVE_INFINITY)
  return queue
}

const merchant = fc.constantFrom(...MERCHANTS)
const kind = fc.constantFrom<EndpointKind>('event', 'ipn')

const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      merchant,
      queue: fc.constantFrom<Row['queue']>('event', 'event', 'ipn', 'work'),
      count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 24 })),
      delay: fc.nat(5),
      // Another process has written them, so that only a look into the database finds them.
      isForeign: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('remove' as const), pick: fc.nat(99) }),
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      pick: fc.nat(99),
      count: fc.constantFrom(1, 4),
      retryIn: fc.constantFrom(null, null, null, 0, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('judge' as const),
      merchant,
      kind,
      isGood: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('wait' as const), millis: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('restart' as const) }),
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      // A line keeps at least five jobs in memory if there are more.
      deliveries: fc.constantFrom(0, 1, 4, 4),
      notGood: fc.constantFrom(0, 1, 4, 4),
      internal: fc.nat(3),
      perAccount: fc.constantFrom(1, 4, 4, null),
      busy: fc.option(fc.nat(99)),
    }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

const pickOf = (rows: readonly Row[], pick: number): Row | undefined =>
  rows[pick % Math.max(1, rows.length)]

const PAGE = 20

/** The queue over a database that the model keeps. */
const openHistory = () => {
  const model = openModel()
  let queue = aQueue()
  let now = 0
  let lastOrder = 0

  const findPending = (ref: string): readonly Row[] =>
    [...model.waiting(), ...model.running()].filter((row) => row.ref === ref)

  const put = ({ ref, order }: Row): void =>
    queue.put({ ref, id: order, jobs: { list: findPending(ref).map(toJob), count: 2 } }, 0)

  /** As a store reads it: endpoints that run short, and what other processes have written. */
  const look = (): void => {
    for (const { line, last } of queue.takeShort()) {
      const behind = model
        .waiting()
        .filter(
          (row) =>
            endpointOf(row) === `${line.queue} ${line.merchant}` &&
            (last === undefined || inSequence(row, last) > 0),
        )
      queue.add(behind.slice(0, PAGE))
    }
  }

  const restart = (): void => {
    queue = aQueue(queue.running())
    for (const { merchant, kind } of model.good()) queue.judge(merchant, kind, true)
    queue.add(model.waiting())
  }

  /** Each order has a job of the kind, and a timer. */
  const addOrders = ({ count, merchant, queue: kind, delay, isForeign }: Add): void => {
    for (let n = 0; n < count; n++) {
      lastOrder += 1
      const delivery = aRow(lastOrder, 1, { merchant, queue: kind, dueAt: now + delay })
      const timer = aRow(lastOrder, 2, { merchant, queue: 'work', dueAt: now + 5 })
      model.add([delivery, timer])
      if (isForeign) queue.add([delivery, timer])
      else put(delivery)
    }
  }

  const remove = (row: Row | undefined): void => {
    if (row === undefined) return
    model.remove(row)
    put(row)
  }

  const end = (row: Row | undefined, retryIn: number | null): void => {
    if (row === undefined) return
    queue.end(row)
    model.end(row)
    if (retryIn !== null) model.add([{ ...row, dueAt: now + retryIn }])
    put(row)
  }

  const take = ({ perAccount, busy, ...capacity }: Extract<Command, { do: 'take' }>): void => {
    const request = { at: now, perAccount, capacity }
    const busyRef = busy === null ? null : pickOf(model.waiting(), busy)?.ref
    const isBusy = (ref: string): boolean => ref === busyRef
    look()
    expect(queue.take(request, isBusy).map(nameOf)).toEqual(
      model.takeAll(request, isBusy).map(nameOf),
    )
    expect(queue.running().map(nameOf).sort()).toEqual(model.running().map(nameOf).sort())
  }

  return (input: Command): void => {
    switch (input.do) {
      case 'add':
        addOrders(input)
        break
      case 'remove':
        remove(pickOf(model.waiting(), input.pick))
        break
      case 'end':
        for (let n = 0; n < input.count; n++)
          end(pickOf(model.running(), input.pick), input.retryIn)
        break
      case 'judge':
        queue.judge(input.merchant, input.kind, input.isGood)
        model.judge(input.merchant, input.kind, input.isGood)
        break
      case 'wait':
        now += input.millis
        break
      case 'restart':
        restart()
        break
      case 'take':
        take(input)
    }
  }
}

type Add = Extract<Command, { do: 'add' }>

describe('the queue in memory', () => {
  it('gives turns by the rule of a claim, in any order of arrivals', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 50, maxLength: 200, size: 'max' }), (commands) => {
        const run = openHistory()
        for (const each of commands) run(each)
      }),
      { numRuns: 100, seed: 20260105 },
    )
  })

  it('has room for others after many turns that were not used', () => {
    const queue = aQueue()
    for (let order = 0; order < 100; order++) {
      queue.judge(`shop-${order}`, 'event', true)
      const place = { merchant: `shop-${order}`, account: `shop-${order}` }
      queue.add(Array.from({ length: 16 }, (_, n) => aRow(order, n, place)))
    }
    const capacity = { deliveries: 1, notGood: 0, internal: 0 }
    for (let turn = 0; turn < 1_200; turn++)
      for (const entry of queue.take({ at: 0, perAccount: 4, capacity }, () => false))
        queue.end(entry)
    expect(queue.hasRoom()).toBe(true)
  })
})
