// Starts a plazo server for a measurement: with the options of `pnpm start`, with encryption, and
// with little logging.
import { startServer } from '../../harness/running-server.ts'

// The same key for every run, because some databases are kept for the next run.
export const SECRET_KEY = `bench:${Buffer.alloc(32, 'plazo').toString('base64')}`

export const startPlazo = async (
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
) => {
  const server = await startServer({ env: { SECRET_KEY, DATABASE_URL: databaseUrl, ...env } })
  return { ...server, port: Number(new URL(server.url).port) }
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
