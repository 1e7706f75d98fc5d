// Starts a plazo server for a measurement: with the options of `pnpm start`, with encryption, and
// with little logging.
import { type RunningServer, startServer } from '../../harness/running-server.ts'

export type MeasuredServer = RunningServer & { readonly port: number }

// The same key for every run, because some databases are kept for the next run.
export const SECRET_KEY = `bench:${Buffer.alloc(32, 'plazo').toString('base64')}`

// Longer than a server takes to finish its work.
const STOPS_WITHIN = 60_000

const stopServer = async ({ stop, kill, output }: RunningServer): Promise<number | null> => {
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    void kill()
  }, STOPS_WITHIN)
  const code = await stop()
  clearTimeout(deadline)
  if (isLate)
    throw new Error(`The server did not end within ${STOPS_WITHIN / 1000} s:\n${output()}`)
  return code
}

export const startPlazo = async (
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> => {
  const server = await startServer({ env: { SECRET_KEY, DATABASE_URL: databaseUrl, ...env } })
  return { ...server, stop: () => stopServer(server), port: Number(new URL(server.url).port) }
}

/** Resolves when everything due has been done, for example every code sent. */
export const waitUntilDrained = async (port: number): Promise<void> => {
  const body = JSON.stringify({ seconds: 0 })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}/sandbox/clock/advance`, {
    method: 'POST',
    headers,
    body,
  })
  await answer.text()
}
