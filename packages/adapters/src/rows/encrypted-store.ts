// A store over encrypted rows. WebCrypto answers later, and a transaction cannot wait. So each
// transaction runs on a copy of what it reads. What it changed is encrypted, and committed if the
// database still has what was read; otherwise it runs on a new copy.
import {
  type EffectPayload,
  type FinalStatus,
  type Job,
  toUnavailable,
  UnavailableError,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { erasureOver } from './erasure.ts'
import type { JobRow, OrderKeys, OrderRow, Rows, StoreRows } from './rows.ts'
import type { OrderKey, RowsCipher } from './rows-cipher.ts'
import { storeOver } from './store-over.ts'
import { EMPTY_VALUE, type RowsValue, valueRows } from './value-rows.ts'

/**
 * An order's row as the database keeps it. `key` is the wrapped data key, `content` the encrypted
 * order with its journal; both are base64. The rest stays readable for searches.
 */
export type EncryptedOrder = OrderKeys & { readonly key: string; readonly content: string }

/** What stands in the row of a job, in place of its payload. */
type EncryptedPayload = Pick<EffectPayload, 'kind'> & { readonly ciphertext: string }

type OpenedOrder = {
  readonly stored: EncryptedOrder
  readonly key: OrderKey
  readonly row: OrderRow
}

// Enough for hosts that open the store again for every operation. Others compete only with other
// processes.
const TRIES = 1_000

const placeOf = (part: 'order' | 'payload' | 'message', key: string): string => `${part} ${key}`

const openOrder = async (cipher: RowsCipher, stored: EncryptedOrder): Promise<OpenedOrder> => {
  const { key: encryptedKey, content, ...keys } = stored
  const key = await cipher.openKey(keys.orderRef, encryptedKey)
  const text = await key.decrypt(placeOf('order', keys.orderRef), content)
  return { stored, key, row: { ...keys, ...JSON.parse(text) } }
}

const encryptOrder = async (key: OrderKey, row: OrderRow): Promise<EncryptedOrder> => {
  const { orderRef, merchantRef, reference, ...content } = row
  const text = await key.encrypt(placeOf('order', orderRef), JSON.stringify(content))
  return { orderRef, merchantRef, reference, key: await key.encryptKey(), content: text }
}

/** `before`: the job as it is stored, if it is. Its payload never changes. */
const encryptJob = async (key: OrderKey | undefined, job: JobRow, before: JobRow | undefined) => {
  const { effect, message } = job
  const encrypt = async (part: 'payload' | 'message', text: string): Promise<string> => {
    if (key === undefined) throw new Error('The order of the job was not read.')
    return key.encrypt(placeOf(part, effect.key), text)
  }
  const encryptPayload = async ({ kind }: EffectPayload): Promise<EncryptedPayload> => ({
    kind,
    ciphertext: await encrypt('payload', JSON.stringify(effect.payload)),
  })
  const payload = before?.effect.payload ?? (await encryptPayload(effect.payload))
  const isSame = message === null || message === before?.message
  return {
    ...job,
    // Only `kind` is read of it until `openJob` decrypts it.
    effect: { ...effect, payload: payload as EffectPayload },
    message: isSame ? message : await encrypt('message', message),
  }
}

/** One after another, in the order of the calls. */
type RunAlone = <A>(run: () => A | Promise<A>) => Promise<A>

const createRunAlone = (): RunAlone => {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const turn = last.then(run)
    last = turn.catch(() => {})
    return turn
  }
}

/** Rows for a store. Its transactions run one after another, on decrypted copies. */
const decryptedRows = (
  rows: Rows<EncryptedOrder>,
  cipher: RowsCipher,
  runAlone: RunAlone,
): StoreRows => {
  // Of the transaction that runs now.
  const copy: { value: RowsValue } = { value: EMPTY_VALUE }
  const memory = valueRows(copy)
  let reads: (() => boolean)[] = []
  let jobsBefore: readonly JobRow[] = []
  let notOpened: EncryptedOrder | undefined
  const endings = new Map<number, FinalStatus>()
  const forgotten = new Set<string>()

  const noteRead = (read: () => string | undefined): void => {
    const before = read()
    reads.push(() => read() === before)
  }

  const readOrder = (orderRef: string): undefined => {
    noteRead(() => rows.order(orderRef)?.content)
    notOpened = rows.order(orderRef)
    if (notOpened !== undefined) throw new Error('The order is not decrypted yet.')
  }

  const readHolder = (merchantRef: string, reference: string): string | undefined => {
    const read = () => rows.orderHolding(merchantRef, reference)
    noteRead(read)
    const orderRef = read()
    // An order in the copy may hold another reference by now.
    return orderRef === undefined || memory.order(orderRef) !== undefined ? undefined : orderRef
  }

  /** What the transaction has changed in the copy, as encrypted writes. */
  const encryptWrites = async (opened: ReadonlyMap<string, OpenedOrder>) => {
    const { orders, jobs: jobsAfter } = copy.value
    const keys = new Map([...opened].map(([orderRef, { key }]) => [orderRef, key]))
    const writes: (() => void)[] = []
    for (const row of orders) {
      const { orderRef } = row
      if (row === opened.get(orderRef)?.row) continue
      const currentKey = forgotten.has(orderRef) ? undefined : keys.get(orderRef)
      const key = currentKey ?? (await cipher.createKey(orderRef))
      keys.set(orderRef, key)
      const encrypted = await encryptOrder(key, row)
      writes.push(() => rows.putOrder(encrypted))
    }
    const before = new Map(jobsBefore.map((job) => [job.id, job]))
    for (const job of jobsAfter) {
      const stored = before.get(job.id)
      before.delete(job.id)
      if (job === stored) continue
      const encrypted = await encryptJob(keys.get(job.orderRef), job, stored)
      writes.push(() => (stored === undefined ? rows.addJob(encrypted) : rows.putJob(encrypted)))
    }
    for (const job of before.values())
      writes.push(() => rows.dropJob(job, endings.get(job.id) ?? 'stopped'))
    return writes
  }

  const commit = (writes: readonly (() => void)[]): boolean =>
    rows.transaction(() => {
      const isUnchanged = reads.every((isSame) => isSame())
      if (isUnchanged) for (const write of writes) write()
      return isUnchanged
    })

  /** Null: an order must be decrypted first. */
  const runOnCopy = <A>(run: () => A, opened: readonly OpenedOrder[]): { result: A } | null =>
    rows.transaction(() => {
      reads = []
      notOpened = undefined
      endings.clear()
      forgotten.clear()
      jobsBefore = rows.jobs()
      for (const { stored } of opened)
        reads.push(() => rows.order(stored.orderRef)?.content === stored.content)
      const orders = opened.map(({ row }) => row)
      copy.value = { orders, jobs: jobsBefore, lastId: jobsBefore.at(-1)?.id ?? 0 }
      try {
        const result = run()
        return notOpened === undefined ? { result } : null
      } catch (cause) {
        if (notOpened === undefined) throw cause
        return null
      }
    })

  const runTransaction = async <A>(run: () => A): Promise<A> => {
    const opened = new Map<string, OpenedOrder>()
    for (let tried = 0; tried < TRIES; tried++) {
      const ran = runOnCopy(run, [...opened.values()])
      if (notOpened !== undefined)
        opened.set(notOpened.orderRef, await openOrder(cipher, notOpened))
      else if (ran !== null && commit(await encryptWrites(opened))) return ran.result
      else opened.clear()
    }
    const message = 'Other processes have changed the database too often meanwhile.'
    throw new UnavailableError({ code: 'contended', message })
  }

  return {
    ...memory,
    order: (orderRef) => memory.order(orderRef) ?? readOrder(orderRef),
    orderHolding: (merchantRef, reference) =>
      memory.orderHolding(merchantRef, reference) ?? readHolder(merchantRef, reference),
    jobs: (orderRef) => {
      noteRead(() => JSON.stringify(rows.jobs(orderRef)))
      return memory.jobs(orderRef)
    },
    dropJob: (job, as) => {
      endings.set(job.id, as)
      memory.dropJob(job, as)
    },
    forgetKey: (orderRef) => void forgotten.add(orderRef),
    transaction: (run) => runAlone(() => runTransaction(run)),
  }
}

/**
 * Like `storeOver`, and each order's data is encrypted under its own data key. Only what claims and
 * lists select by is stored in the clear: references of orders and merchants, and states and
 * instants of jobs.
 */
export const encryptedStoreOver = (
  rows: Rows<EncryptedOrder>,
  realNow: () => number,
  cipher: RowsCipher,
): {
  readonly erasure: ReturnType<typeof erasureOver>
  readonly store: ReturnType<typeof storeOver>
  /**
   * For a transaction of your program on the same connection: it begins once the store's operations
   * before it have ended, and later ones wait until `run` has settled. So `run` must not wait for
   * this store.
   */
  readonly runAlone: <A>(run: () => A | Promise<A>) => Promise<A>
} => {
  const runAlone = createRunAlone()
  const decrypted = decryptedRows(rows, cipher, runAlone)
  const store = storeOver(decrypted, realNow)

  const decryptFor = async (orderRef: string, place: string, text: string): Promise<string> => {
    const stored = await runAlone(() => rows.transaction(() => rows.order(orderRef)))
    if (stored === undefined) throw new Error('The order of the job is missing.')
    return (await cipher.openKey(orderRef, stored.key)).decrypt(place, text)
  }

  const openJob = async (job: Job): Promise<Job> => {
    // As `encryptJob` has stored it.
    const { ciphertext } = job.payload as unknown as EncryptedPayload
    const text = await decryptFor(job.orderRef, placeOf('payload', job.key), ciphertext)
    return { ...job, payload: JSON.parse(text) }
  }

  /** A job that can never be decrypted becomes stuck, so that it does not keep others waiting. */
  const openOrMarkStuck = async (job: Job): Promise<readonly Job[]> => {
    try {
      return [await openJob(job)]
    } catch (cause) {
      const { code, message } = toUnavailable(cause)
      if (code !== 'internal_error') throw cause
      const result = { type: 'finished', status: 'stopped' } as const
      await store.complete(job, { result, decide: () => E.left({ message }) })()
      return []
    }
  }

  return {
    erasure: erasureOver(decrypted),
    runAlone,
    store: {
      ...store,
      claim: (request) => async () => {
        const claimed = await store.claim(request)()
        if (E.isLeft(claimed)) return claimed
        try {
          return E.right((await Promise.all(claimed.right.map(openOrMarkStuck))).flat())
        } catch (cause) {
          await store.release(claimed.right, 'not_started')()
          return E.left(toUnavailable(cause))
        }
      },
      stuckJobs: () => async () => {
        const stuck = await store.stuckJobs()()
        if (E.isLeft(stuck)) return stuck
        try {
          const messages = stuck.right.map(async (job) => ({
            ...job,
            message: await decryptFor(job.orderRef, placeOf('message', job.key), job.message),
          }))
          return E.right(await Promise.all(messages))
        } catch (cause) {
          return E.left(toUnavailable(cause))
        }
      },
    } satisfies typeof store,
  }
}
