// The interface of a database that keeps each order as one row: five functions, which a host can write
// for any database.
import type { JobRow } from '../store/base.ts'

/** One order with its journal and its unfinished jobs. JSON. */
export type OrderRow = {
  /** Counts orders from 1. The row is found by it, by `ref`, and by `merchantRef` and `reference`. */
  readonly id: number
  readonly ref: string
  readonly merchantRef: string
  /** The `order_ref_1` that the order holds: no other one of the merchant does. */
  readonly reference: string | null
  readonly version: number
  readonly revision: number
  /** Without their payloads and messages. */
  readonly jobs: readonly JobRow<string>[]
  readonly jobCount: number
  /** When its first job is due, epoch milliseconds; null: none waits. */
  readonly dueAt: number | null
  readonly isStuck: boolean
  /** All that may be personal, encrypted if there is a cipher. */
  readonly content: string
}

/** How a row is found. */
export type RowKey =
  | { readonly id: number }
  | { readonly ref: string }
  | { readonly merchantRef: string; readonly reference: string }

/** All functions are synchronous and throw if the database fails. */
export type Rows = {
  readonly read: (by: RowKey) => OrderRow | undefined
  /** The highest `id`; 0 if there is none. */
  readonly lastId: () => number
  /** Those with `dueAt` up to this instant, or those that are stuck. */
  readonly list: (which: { readonly until: number } | 'stuck') => readonly OrderRow[]
  /** Replaces the row with this `id`, or adds it. */
  readonly put: (row: OrderRow) => void
  /**
   * Runs the function alone, and commits all that it wrote, or nothing if it throws. What it wrote
   * survives a crash once this returns.
   */
  readonly transaction: <A>(run: () => A) => A
  /** True: another store on the same database starts the jobs. */
  readonly isGuest?: boolean
}
