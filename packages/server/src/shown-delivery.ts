// Encodes a delivery as JSON attempt by attempt, because it may be long: 50 answers of 16 KiB may take 5 MB once their control
// characters are escaped.
import { type Delivery, deliveryView, type EncodedDelivery } from '@plazo/core'
import type { Task } from 'fp-ts/lib/Task.js'
import { createChunkedText } from './sliced-json.ts'

/** `bytes`: the length as it is sent, after escaping. */
export const encodeDelivery =
  (delivery: Delivery): Task<EncodedDelivery<readonly Buffer[]>> =>
  async () => {
    const { attempts, ...head } = deliveryView(delivery)
    const text = createChunkedText()
    await text.add(`${JSON.stringify(head).slice(0, -1)},"attempts":[`)
    for (const [n, attempt] of attempts.entries()) await text.add(`${n > 0 ? ',' : ''}${JSON.stringify(attempt)}`)
    await text.add(']}')
    const shown = text.end()
    return { encoded: shown, bytes: shown.reduce((sum, { length }) => sum + length, 0) }
  }

const BEGIN = Buffer.from('[')
const COMMA = Buffer.from(',')
const END = Buffer.from(']')

/** A JSON array of deliveries that `encodeDelivery` encoded. */
export const joinAsArray = (deliveries: readonly (readonly Buffer[])[]): readonly Buffer[] => [
  BEGIN,
  ...deliveries.flatMap((chunks, n) => (n === 0 ? chunks : [COMMA, ...chunks])),
  END,
]
