// Orders as rows: sealed and read again, under the order's own data key. What was read or written once is remembered,
// and told by its seal: no two sealings are alike, so that what another process wrote, or a failed commit did not, is
// never taken for it.
import {
  decodePlaced,
  decodeSnapshot,
  encodePlaced,
  encodeSnapshot,
  type JournalLine,
  type Order,
  type Placed,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { type DataKey, seal, sealOf } from '../sealing/sealer.ts'
import type { Vault } from './vault.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly merchant_ref: string
  readonly revision: number
  readonly snapshot: Buffer
}

export const ORDER = 'select id, order_ref, merchant_ref, revision, snapshot from orders'

export type OrderRows = {
  readonly orderOf: (row: OrderRow) => Order
  /** What a step leaves, to be written into the order's row. */
  readonly snapshotOf: (order: Order, key: DataKey) => Buffer
  readonly placedOf: (placed: Placed, key: DataKey) => Buffer
}

type Moving = Pick<Order, 'revision' | 'state' | 'context'> & { readonly seal: string }

// As many as the vault remembers keys: a checkout's first steps come within minutes of each other.
const REMEMBERED_HALF = 16_000

const valid = <A>(decoded: E.Either<readonly string[], A>): A => {
  if (E.isLeft(decoded)) throw new Error(decoded.left.join(' '))
  return decoded.right
}

export const placeOfSnapshot = (revision: number): string => `snapshot ${revision}`
export const placeOfInput = (seq: number): string => `input ${seq}`

export const PLACED = 'placed'
export const PAYLOAD = 'payload'

export const sealInput = (key: DataKey, seq: number, input: NonNullable<JournalLine['input']>): Buffer =>
  seal(key, placeOfInput(seq), JSON.stringify(input))

export const openInput = (vault: Vault, orderId: number, seq: number, input: Buffer): JournalLine['input'] =>
  JSON.parse(vault.open(orderId, placeOfInput(seq), input)) as JournalLine['input']

/** `placement`: how the order was placed, as it is kept. */
export const orderRows = (vault: Vault, placement: (id: number) => Buffer | undefined): OrderRows => {
  // By the order's uuid: should the commit that places it fail, nobody will ever ask for it.
  const placements = memoryOfRows<string, Placed>(REMEMBERED_HALF)
  const movings = memoryOfRows<string, Moving>(REMEMBERED_HALF)
  vault.onOthers(() => {
    placements.clear()
    movings.clear()
  })

  const placedOf = ({ id, order_ref }: OrderRow): Placed => {
    const known = placements.get(order_ref)
    if (known !== undefined) return known
    const kept = placement(id)
    if (kept === undefined) throw new Error('It is not known how the order was placed.')
    const placed = valid(decodePlaced(vault.open(id, PLACED, kept)))
    placements.set(order_ref, placed)
    return placed
  }

  const movingOf = ({ id, order_ref, revision, snapshot }: OrderRow): Moving => {
    const known = movings.get(order_ref)
    if (known?.revision === revision && Buffer.isBuffer(snapshot) && known.seal === sealOf(snapshot)) return known
    const decoded = valid(decodeSnapshot(vault.open(id, placeOfSnapshot(revision), snapshot)))
    const moving = { seal: sealOf(snapshot), revision, ...decoded }
    movings.set(order_ref, moving)
    return moving
  }

  return {
    orderOf: (row) => {
      const { revision, state, context } = movingOf(row)
      return { placed: placedOf(row), revision, state, context }
    },
    snapshotOf: (order, key) => {
      const { placed, revision, state, context } = order
      const sealed = seal(key, placeOfSnapshot(revision), encodeSnapshot(order))
      movings.set(placed.orderRef, { seal: sealOf(sealed), revision, state, context })
      return sealed
    },
    placedOf: (placed, key) => {
      placements.set(placed.orderRef, placed)
      return seal(key, PLACED, encodePlaced(placed))
    },
  }
}
