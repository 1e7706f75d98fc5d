// Encryption between the store and its base: everything personal is sealed before it is committed and
// opened after it was read, each value under the data key of its order and bound to its place.
import {
  type EffectPayload,
  errorMessage,
  hasNoPersonalData,
  toUnavailable,
} from '@plazo/core/internal'
import {
  AAD_ORDER_PAYLOAD,
  AAD_PLACED,
  aadForInput,
  aadForPayload,
  aadForReport,
  aadForSnapshot,
  aadForStuckMessage,
  type Cipher,
  type DataKey,
  decrypt,
  type EncryptedDataKey,
  encrypt,
  keyTagOf,
} from '../encryption/cipher.ts'
import { createBoundedCache } from '../sql/bounded-cache.ts'
import { parsePlaced, parseSnapshot } from '../sql/decode-order-row.ts'
import type { JobRow, Opener, OrderChange } from './base.ts'

/** Bytes that only its data key opens, or a text that is free of personal data. */
export type Sealed = Buffer | string

type Plain = OrderChange<string, EncryptedDataKey>
type SealedChange = OrderChange<Sealed, EncryptedDataKey>

const KEYS_MAX = 24_000
const UNREADABLE = 'The data of this order cannot be decrypted.'

/** Adds the order's ref to a read error. Without it, nobody could find the order among many. */
const withOrderRef = <A>(orderRef: string, read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    // A missing master key is an error in the settings and affects every order.
    if (toUnavailable(cause).code === 'key_missing') throw cause
    throw new Error(`The order ${orderRef} cannot be read. ${errorMessage(cause)}`, { cause })
  }
}

/** Parses a job's payload that was stored unencrypted. Throws if its kind must be encrypted. */
const parseUnencryptedPayload = (text: string): EffectPayload => {
  const work = JSON.parse(text) as EffectPayload
  if (!hasNoPersonalData(work)) throw new Error('Cannot decrypt: the value is not encrypted.')
  return work
}

export type Sealer = ReturnType<typeof createSealer>

export const createSealer = (cipher: Cipher) => {
  const keys = createBoundedCache<string, DataKey>(KEYS_MAX)

  const remember = (ref: string, key: DataKey): DataKey => {
    keys.set(ref, key)
    return key
  }

  const openKey = (ref: string, key: EncryptedDataKey): DataKey => {
    const cachedKey = keys.get(ref)
    return cachedKey?.tag === key.tag ? cachedKey : remember(ref, cipher.decryptKey(ref, key))
  }

  const open = (ref: string, key: EncryptedDataKey, aad: string, value: Sealed): string => {
    if (typeof value === 'string') throw new Error('Cannot decrypt: the value is not encrypted.')
    if (keyTagOf(value) !== key.tag)
      throw new Error('Cannot decrypt: the data key was destroyed, or the value is not encrypted.')
    return decrypt(openKey(ref, key), aad, value)
  }

  const opener: Opener<Sealed, EncryptedDataKey> = {
    order: ({ ref, key, placed, snapshot, revision }) =>
      withOrderRef(ref, () => ({
        placed: parsePlaced(open(ref, key, AAD_PLACED, placed)),
        revision,
        ...parseSnapshot(open(ref, key, aadForSnapshot(revision), snapshot)),
      })),
    work: ({ ref, key }, { revision, lane }, value) =>
      typeof value === 'string'
        ? parseUnencryptedPayload(value)
        : (JSON.parse(open(ref, key, aadForPayload(revision, lane), value)) as EffectPayload),
  }

  const sealJob =
    (key: DataKey) =>
    (job: JobRow<string>): JobRow<Sealed> => ({
      ...job,
      work:
        job.work === null || hasNoPersonalData(JSON.parse(job.work) as EffectPayload)
          ? job.work
          : encrypt(key, aadForPayload(job.revision, job.lane), job.work),
      message: job.message === null ? null : encrypt(key, aadForStuckMessage(job.n), job.message),
    })

  const sealUnder = (key: DataKey, change: Plain): SealedChange => {
    const { placed, snapshot } = change
    return {
      ...change,
      placed: placed && {
        ...placed,
        placed: encrypt(key, AAD_PLACED, placed.placed),
        payload: encrypt(key, AAD_ORDER_PAYLOAD, placed.payload),
      },
      snapshot: snapshot && {
        ...snapshot,
        snapshot: encrypt(key, aadForSnapshot(snapshot.revision), snapshot.snapshot),
      },
      lines: change.lines.map(({ input, ...line }) => ({
        ...line,
        input: input === null ? null : encrypt(key, aadForInput(line.seq), input),
      })),
      added: change.added.map(sealJob(key)),
      put: change.put.map(sealJob(key)),
      attempts: change.attempts.map(({ report, ...attempt }) => ({
        ...attempt,
        report:
          report === null ? null : encrypt(key, aadForReport(attempt.n, attempt.number), report),
      })),
    }
  }

  /** If its data key cannot be opened, a job can still become stuck, without its report. */
  const withoutKey = (change: Plain): SealedChange => ({
    ...change,
    placed: null,
    snapshot: null,
    lines: [],
    added: [],
    put: change.put.map((job) => ({ ...job, message: job.message === null ? null : UNREADABLE })),
    attempts: change.attempts.map((attempt) => ({ ...attempt, report: null })),
  })

  /** Whether the change has anything that must be sealed. */
  const isOfJobs = ({ placed, snapshot, added }: Plain): boolean =>
    placed === null && snapshot === null && added.every(({ resendOf }) => resendOf !== null)

  return {
    cipher,
    opener,
    open,
    openKey,
    /** The data key that the order had when this process last saw it. */
    knownKey: (ref: string): DataKey | undefined => keys.get(ref),
    seal: (change: Plain): SealedChange => {
      const { ref, row } = change
      if (row === null) {
        const { dataKey, encryptedKey } = cipher.createKey(ref)
        const { placed, ...rest } = sealUnder(remember(ref, dataKey), change)
        return { ...rest, placed: placed && { ...placed, key: encryptedKey } }
      }
      try {
        return sealUnder(openKey(ref, row.key), change)
      } catch (cause) {
        if (isOfJobs(change)) return withoutKey(change)
        throw cause
      }
    },
    forgetKeys: (): void => keys.clear(),
  }
}
