import { systemTimers } from '@plazo/adapters/system'
import type { ClaimRequest, Entry, Result, Store } from '@plazo/core'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type Dispatcher, startDispatcher } from './dispatcher.ts'

const anEvent = (n: number): Entry => ({
  key: `order:${n}:denied`,
  orderRef: 'order',
  merchantRef: 'demo',
  lane: 'denied',
  work: { kind: 'event', event: 'denied', url: '', contentType: '', body: '' },
  until: null,
  attempt: 1,
  isResend: false,
  firstAt: 0,
  startedAt: 0,
  token: `${n}`,
})

const done: Result = { event: null, conclusion: { type: 'ended', as: 'delivered' }, error: null, report: null }

/** A dispatcher with two places for deliveries, a store with so many due, and attempts that last until they are ended. */
const withTwoPlaces = (due: number) => {
  const asked: ClaimRequest[] = []
  const released: string[] = []
  const begun: string[] = []
  const endings: (() => void)[] = []
  let claimed = 0
  const store: Pick<Store, 'claim' | 'release' | 'nextDueAt'> = {
    claim: (request) => async () => {
      const wanted = request()
      asked.push(wanted)
      const count = Math.min(wanted.room.deliveries, due - claimed)
      const taken = Array.from({ length: Math.max(0, count) }, () => anEvent(++claimed))
      return TE.right(taken)()
    },
    release: (entries) => {
      released.push(...entries.map(({ token }) => token))
      return TE.right(undefined)
    },
    nextDueAt: () => TE.right(null),
  }
  const dispatcher: Dispatcher = startDispatcher({
    store: store as Store,
    clock: { now: () => 0 },
    carryOut: (entry) => () => {
      begun.push(entry.token)
      return new Promise((resolve) => endings.push(() => resolve(done)))
    },
    settle: () => TE.right('settled'),
    limits: { deliveries: 2, work: 2, perMerchant: 4 },
    onTrouble: () => {},
  })
  const turned = () => new Promise<void>((resolve) => systemTimers.soon(resolve))
  return { dispatcher, asked, released, begun, endings, turned }
}

describe('the dispatcher', () => {
  it('carries out no more at once than it has places, and has the next at hand when one comes free', async () => {
    const { dispatcher, begun, endings, turned } = withTwoPlaces(5)
    await turned()
    expect(begun).toEqual(['1', '2'])
    endings.shift()?.()
    await Promise.resolve()
    await turned()
    expect(begun).toEqual(['1', '2', '3'])
    for (let ended = 0; ended < 4; ended++) {
      endings.shift()?.()
      await turned()
    }
    await dispatcher.drain()
    expect(begun).toEqual(['1', '2', '3', '4', '5'])
    await dispatcher.stop(0)
  })

  it('asks for half as much again as it can carry out, less what it has', async () => {
    const { dispatcher, asked, endings, turned } = withTwoPlaces(3)
    await turned()
    expect(asked[0]?.room.deliveries).toBe(3)
    dispatcher.wake()
    await turned()
    expect(asked.at(-1)?.room.deliveries).toBe(0)
    for (const end of endings.splice(0)) end()
    await turned()
    for (const end of endings.splice(0)) end()
    await dispatcher.drain()
    expect(asked.at(-1)?.room.deliveries).toBe(3)
    await dispatcher.stop(0)
  })

  it('gives back at once what it has not begun when it is told to stop', async () => {
    const { dispatcher, begun, released, endings, turned } = withTwoPlaces(3)
    await turned()
    const stopping = dispatcher.stop(1000)
    await turned()
    expect(released).toEqual(['3'])
    for (const end of endings) end()
    await stopping
    expect(begun).toEqual(['1', '2'])
  })
})
