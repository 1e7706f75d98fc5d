// Orders for other programs, page by page, so that any number of them fits into memory: CSV for
// spreadsheets, or a JSON object on each line.

import { once } from 'node:events'
import { type Order, type OrderFilter, orderView } from '@plazo/core'
import { REGIONS } from '@plazo/core/machine'
import type { FullStore, OrderPage } from '@plazo/core/ports'
import {
  endProgress,
  escapeControls,
  showProgress,
  valueOrRefuse,
} from '../command-line/terminal.ts'

// How many orders are read and decrypted at once.
const PAGE = 500

/** The matching orders, newest first. */
export async function* orderPages(
  { orders }: Pick<FullStore, 'orders'>,
  filter: OrderFilter,
  limit: number,
): AsyncGenerator<readonly Order[]> {
  let from: number | null = null
  for (let remaining = limit; remaining > 0; ) {
    const page: OrderPage = await valueOrRefuse(
      orders.search(filter, from, Math.min(remaining, PAGE)),
    )
    yield page.orders
    if (page.next === null) return
    remaining -= page.orders.length
    from = page.next
  }
}

const HEADINGS = [
  ...['order_ref', 'order_ref_1', 'order_ref_2', 'merchant'],
  ...[...REGIONS, 'product', 'amount', 'currency', 'created_at', 'updated_at'],
]

// A spreadsheet takes a cell that begins so for a formula, and would run it.
const FORMULA = /^[=+\-@\t\r]/

const csvCell = (text: string): string => {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\n\r']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`

const orderCells = (order: Order): readonly string[] => {
  const { order_ref, order_ref_1, order_ref_2, merchant, state, product, amount, ...rest } =
    orderView(order)
  return [
    ...[order_ref, order_ref_1, order_ref_2, merchant, ...REGIONS.map((region) => state[region])],
    ...[product, String(amount.value), order.placed.currency, rest.created_at, rest.updated_at],
  ]
}

/** How an export begins, and how it writes an order. Amounts are minor units. */
const EXPORTS = {
  csv: { head: csvLine(HEADINGS), write: (order: Order) => csvLine(orderCells(order)) },
  jsonl: { head: '', write: (order: Order) => `${JSON.stringify(orderView(order))}\n` },
} as const

export const EXPORTED_MAX = 999_999_999

/** Writes to standard output, and the progress to standard error. */
export const exportOrders = async (
  pages: AsyncIterable<readonly Order[]>,
  format: keyof typeof EXPORTS,
): Promise<void> => {
  const { head, write } = EXPORTS[format]
  let count = 0
  process.stdout.write(head)
  for await (const page of pages) {
    if (!process.stdout.write(escapeControls(page.map(write).join(''))))
      await once(process.stdout, 'drain')
    count += page.length
    showProgress(`${count} orders so far`)
  }
  endProgress()
}
