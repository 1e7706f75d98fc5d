// A plazo server to be measured: as `pnpm start` runs it, sealing what is personal, quiet.
import { type RunningServer, startServer } from '../support/running-server.ts'

export type MeasuredServer = RunningServer & { readonly port: number }

// The same for every run: a database that is kept for the next one is sealed under it.
export const SECRET_KEY = `bench:${Buffer.alloc(32, 'plazo').toString('base64')}`

export const startPlazo = async (
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> => {
  const server = await startServer({ env: { SECRET_KEY, DATABASE_URL: databaseUrl, ...env } })
  return { ...server, port: Number(new URL(server.url).port) }
}
