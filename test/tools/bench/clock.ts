// Measures a move of the sandbox's clock by a week, with open orders of ten merchants: placed,
// waiting for their code, screened without end, on hold, waiting for a payment, and confirmed
// orders whose shopper asks for a cancellation.
import { hashPassword } from '@plazo/adapters/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import { openSqlite } from '@plazo/adapters/sqlite'
import { aMerchant } from '@plazo/core/testing/contracts'
import { keyringOf } from '../../harness/secret-keys.ts'
import { basic, CODE, orderBody, PERSON } from '../../harness/shop.ts'
import { run } from './load.ts'
import { SECRET_KEY, startPlazo, waitUntilDrained } from './plazo.ts'
import { startProcess } from './processes.ts'
import { inRounds, type Part, type PartOptions, type PartResult, type Sample } from './rounds.ts'
import { called, type StoreName } from './stores.ts'
import { type Answer, request } from './wire.ts'

const MERCHANTS = 10
const PASSWORD = 'bench'
const CONNECTIONS = 16
const WEEK = 7 * 86_400

const SIZES = { full: 4_000, small: 40 } as const

/**
 * The surnames of the shoppers, in turn. The first ones only place their order, the next ones only
 * get a code.
 */
const SHOPPERS = [
  '',
  'Prueba Otp',
  'expiry event',
  'review event',
  'Prueba Ensayo',
  'cancellation event',
] as const

const refOf = (n: number): string => `m${n % MERCHANTS}`

const addMerchants = async (databaseUrl: string): Promise<void> => {
  const keyring = keyringOf(SECRET_KEY)
  const home = databaseUrl.startsWith('sqlite:')
    ? openSqlite(databaseUrl.slice('sqlite:'.length), { keyring })
    : await openPostgres(databaseUrl, { keyring })
  const passwordHash = await hashPassword(PASSWORD)
  for (let n = 0; n < MERCHANTS; n++)
    await home.merchants.add(aMerchant(refOf(n), { passwordHash }))()
  await home.close()
}

const refOfAnswer = ({ status, head }: Answer): string => {
  if (status !== 204) throw new Error(`POST /orders was answered ${status}.`)
  return /\r\nlocation: \S*\/orders\/(\S+)/i.exec(head)?.[1] ?? ''
}

const measureMove = async (databaseUrl: string, count: number): Promise<Sample> => {
  await addMerchants(databaseUrl)
  const sink = await startProcess('./sink.ts')
  const plazo = await startPlazo(databaseUrl)
  try {
    const place = (n: number): string => {
      const url = `http://127.0.0.1:${sink.port}`
      const merchant = {
        id: refOf(n),
        notify_url: `${url}/ipn`,
        events_webhook: { url: `${url}/events` },
      }
      return request('POST', '/orders', JSON.stringify(orderBody({ merchant })), {
        Authorization: basic(refOf(n), PASSWORD),
      })
    }
    const submit = (refs: readonly string[], step: number): readonly string[] =>
      refs.flatMap((ref, n) => {
        const surnames = SHOPPERS[Math.floor(n / MERCHANTS) % SHOPPERS.length] ?? ''
        if (surnames === '' || (step > 0 && surnames.endsWith('Otp'))) return []
        const body = { ...PERSON, surnames, ...(step === 1 && { validation_code: CODE }) }
        return request('POST', `/api/v1/checkout/${ref}/identification`, JSON.stringify(body))
      })
    const requests = Array.from({ length: count }, (_, n) => place(n))
    const refs = (await run(plazo.port, requests, CONNECTIONS)).answers.map(refOfAnswer)
    for (const step of [0, 1]) await run(plazo.port, submit(refs, step), CONNECTIONS)
    // The screening takes a second.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await run(plazo.port, submit(refs, 2), CONNECTIONS)
    await waitUntilDrained(plazo.port)
    const startedAt = performance.now()
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${plazo.port}/sandbox/clock/advance`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ seconds: WEEK }),
    })
    const { fired } = (await answer.json()) as {
      readonly fired: readonly { readonly at: string; readonly what: string }[]
    }
    const seconds = (performance.now() - startedAt) / 1000
    return { seconds, jobs: fired.length, jobsPerSecond: fired.length / seconds }
  } finally {
    await plazo.stop()
    await sink.stop()
  }
}

const measure = async ({ stores, on, rounds, size, say }: PartOptions): Promise<PartResult> =>
  inRounds(
    Object.fromEntries(
      on.map((store: StoreName) => [
        `plazo on ${called[store]}`,
        async () => measureMove(await stores.fresh(store), SIZES[size]),
      ]),
    ),
    { rounds, size, say },
  )

export const clock: Part = {
  name: 'clock',
  about: 'a week of the sandbox’s clock, with 4,000 open orders of ten merchants',
  measure,
}
