// Orders for other programs, page by page, so that any number of them fits into memory: CSV for
// spreadsheets, or a JSON object on each line.

import { once } from 'node:events'
import type { Order, OrderFilter } from '@plazo/core'
import type { FullStore } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  endProgress,
  escapeControls,
  showProgress,
  valueOrRefuse,
} from '../command-line/terminal.ts'
import { EXPORT_FORMATS, orderPages } from './order-export.ts'

/** The matching orders, newest first. The program ends with a sentence if the store cannot be read. */
export async function* readOrders(
  { orders }: Pick<FullStore, 'orders'>,
  filter: OrderFilter,
  limit: number,
): AsyncGenerator<readonly Order[]> {
  for await (const page of orderPages(orders, filter, limit))
    yield await valueOrRefuse(TE.fromEither(page))
}

export const EXPORTED_MAX = 999_999_999

/** Writes to standard output, and the progress to standard error. */
export const exportOrders = async (
  pages: AsyncIterable<readonly Order[]>,
  format: keyof typeof EXPORT_FORMATS,
): Promise<void> => {
  const { head, line } = EXPORT_FORMATS[format]
  let count = 0
  process.stdout.write(head)
  for await (const page of pages) {
    if (!process.stdout.write(escapeControls(page.map(line).join(''))))
      await once(process.stdout, 'drain')
    count += page.length
    showProgress(`${count} orders so far`)
  }
  endProgress()
}
