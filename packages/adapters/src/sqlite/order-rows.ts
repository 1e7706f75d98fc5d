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
import { type DataKey, headOf, isHeadOf, seal } from '../sealing/sealer.ts'
import type { Database } from './database.ts'
import type { Vault } from './vault.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly merchant_ref: string
  readonly revision: number
  /** Of an order that is remembered its head alone. */
  readonly snapshot: Buffer
}

export const ORDER = 'select id, order_ref, merchant_ref, revision, snapshot from orders'

export type OrderRows = {
  readonly byRef: (orderRef: string) => OrderRow | undefined
  readonly byId: (id: number) => OrderRow | undefined
  readonly orderOf: (row: OrderRow) => Order
  /** What a step leaves, to be written into the order's row. */
  readonly snapshotOf: (order: Order, key: DataKey) => Buffer
  readonly placedOf: (placed: Placed, key: DataKey) => Buffer
  /** To be told the number of the row that an order was given. */
  readonly rememberPlacement: (id: number, placed: Placed) => void
}

type Placement = { readonly id: number; readonly placed: Placed }
type Moving = Pick<Order, 'revision' | 'state' | 'context'> & { readonly head: Buffer }

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

export const orderRows = (db: Database, vault: Vault): OrderRows => {
  const readByRef = db.prepare<[string], OrderRow>(`${ORDER} where order_ref = ?`)
  const readById = db.prepare<[number], OrderRow>(`${ORDER} where id = ?`)
  // Most of what reading a row costs is bringing it over: of one that is remembered it is asked whether it stands.
  const stands = db
    .prepare<[number, Buffer, number], number>('select substr(snapshot, 1, ?) = ? from orders where id = ?')
    .pluck()
  const readPlacement = db.prepare<[number], Buffer>('select placed from placements where order_id = ?').pluck()

  // By the order's uuid: should the commit that places it fail, nobody will ever ask for it.
  const placements = memoryOfRows<string, Placement>(REMEMBERED_HALF)
  const movings = memoryOfRows<string, Moving>(REMEMBERED_HALF)
  const refs = memoryOfRows<number, string>(REMEMBERED_HALF)
  vault.onOthers(() => {
    placements.clear()
    movings.clear()
    refs.clear()
  })

  const rememberPlacement = (id: number, placed: Placed): void => {
    placements.set(placed.orderRef, { id, placed })
    refs.set(id, placed.orderRef)
  }

  const remembered = (orderRef: string): OrderRow | undefined => {
    const placement = placements.get(orderRef)
    const moving = movings.get(orderRef)
    if (placement === undefined || moving === undefined) return undefined
    const { id, placed } = placement
    if (stands.get(moving.head.length, moving.head, id) !== 1) return undefined
    const { revision, head } = moving
    return { id, order_ref: orderRef, merchant_ref: placed.merchant.ref, revision, snapshot: head }
  }

  const placedOf = ({ id, order_ref }: OrderRow): Placed => {
    const known = placements.get(order_ref)
    if (known !== undefined) return known.placed
    const kept = readPlacement.get(id)
    if (kept === undefined) throw new Error('It is not known how the order was placed.')
    const placed = valid(decodePlaced(vault.open(id, PLACED, kept)))
    rememberPlacement(id, placed)
    return placed
  }

  const movingOf = ({ id, order_ref, revision, snapshot }: OrderRow): Moving => {
    const known = movings.get(order_ref)
    if (known?.revision === revision && isHeadOf(known.head, snapshot)) return known
    const decoded = valid(decodeSnapshot(vault.open(id, placeOfSnapshot(revision), snapshot)))
    const moving = { head: headOf(snapshot), revision, ...decoded }
    movings.set(order_ref, moving)
    return moving
  }

  return {
    byRef: (orderRef) => remembered(orderRef) ?? readByRef.get(orderRef),
    byId: (id) => {
      const orderRef = refs.get(id)
      const row = orderRef === undefined ? undefined : remembered(orderRef)
      // A number is given to another order where the commit that placed this one failed.
      return row?.id === id ? row : readById.get(id)
    },
    orderOf: (row) => {
      const { revision, state, context } = movingOf(row)
      return { placed: placedOf(row), revision, state, context }
    },
    snapshotOf: (order, key) => {
      const { placed, revision, state, context } = order
      const sealed = seal(key, placeOfSnapshot(revision), encodeSnapshot(order))
      movings.set(placed.orderRef, { head: headOf(sealed), revision, state, context })
      return sealed
    },
    placedOf: (placed, key) => seal(key, PLACED, encodePlaced(placed)),
    rememberPlacement,
  }
}
