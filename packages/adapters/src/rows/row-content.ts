// The part of a row that is encrypted. It is decrypted and encrypted outside of transactions, because
// WebCrypto answers later, and a transaction cannot wait.
import { type Order, toUnavailable } from '@plazo/core/internal'
import { parsePlaced, parseSnapshot } from '../sql/decode-order-row.ts'
import type { JobRow, LineRow, Opener, OrderChange } from '../store/base.ts'
import type { OrderRow } from './rows.ts'
import type { RowsCipher } from './rows-cipher.ts'

type Sealed = Pick<OrderRow, 'ref' | 'content'>

/** Texts are those of `OrderChange`. */
type RowContent = {
  readonly placed: string
  readonly snapshot: string
  /** The merchant's request body; null once the shopper is erased. */
  readonly payload: string | null
  readonly lines: readonly LineRow<string>[]
  readonly jobs: readonly Pick<JobRow<string>, 'n' | 'work' | 'message'>[]
}

const NEW: RowContent = { placed: '', snapshot: '', payload: null, lines: [], jobs: [] }

export const sealContent = (cipher: RowsCipher, ref: string, content: RowContent) =>
  cipher.encrypt(ref, JSON.stringify(content))

export const openContent = async (
  cipher: RowsCipher,
  { ref, content }: Sealed,
): Promise<RowContent> => JSON.parse(await cipher.decrypt(ref, content))

/** `jobs`: those of the row after the change. */
export const changeContent = async (
  cipher: RowsCipher,
  before: Sealed | undefined,
  { ref, placed, snapshot, lines, added, put }: OrderChange<string, null>,
  jobs: readonly JobRow<string>[],
): Promise<string> => {
  try {
    const content = before === undefined ? NEW : await openContent(cipher, before)
    const texts = [
      ...content.jobs.map((job) => ({
        ...job,
        message: put.find(({ n }) => n === job.n)?.message ?? job.message,
      })),
      ...added.map(({ n, work, message }) => ({ n, work, message })),
    ]
    return await sealContent(cipher, ref, {
      placed: placed?.placed ?? content.placed,
      snapshot: snapshot?.snapshot ?? content.snapshot,
      payload: placed?.payload ?? content.payload,
      lines: [...content.lines, ...lines],
      jobs: texts.filter(({ n }) => jobs.some((job) => job.n === n)),
    })
  } catch (cause) {
    // A job of an order that cannot be decrypted can still become stuck.
    if (before && snapshot === null && toUnavailable(cause).code === 'internal_error')
      return before.content
    throw cause
  }
}

export const openOrder = (revision: number, { placed, snapshot }: RowContent): Order => ({
  placed: parsePlaced(placed),
  revision,
  ...parseSnapshot(snapshot),
})

/** Of rows whose every value is the content. */
export const rowsOpener = (cipher: RowsCipher): Opener<string, null> => ({
  order: async ({ ref, revision, snapshot }) =>
    openOrder(revision, await openContent(cipher, { ref, content: snapshot })),
  work: async ({ ref }, { n }, content) => {
    const { jobs } = await openContent(cipher, { ref, content })
    return JSON.parse(jobs.find((job) => job.n === n)?.work ?? '')
  },
})
