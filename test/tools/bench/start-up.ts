// Measures the milliseconds from the start of the process until `/readyz` succeeds, on an existing
// database. The limit is a bare Hono server on the same Node.

import { startPlazo } from './plazo.ts'
import { startProcess } from './processes.ts'
import { inRounds, type Part, type PartOptions, type PartResult, type Sample } from './rounds.ts'
import { called } from './stores.ts'

type RunningProgram = { readonly port: number; readonly stop: () => Promise<unknown> }

const measureStart = async (start: () => Promise<RunningProgram>): Promise<Sample> => {
  const startedAt = performance.now()
  const { port, stop } = await start()
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
  const readyMillis = performance.now() - startedAt
  await ready.text()
  await stop()
  if (!ready.ok) throw new Error(`It says that it listens, and is not ready: ${ready.status}`)
  return { readyMillis }
}

const measure = async ({ stores, on, rounds, size, say }: PartOptions): Promise<PartResult> => {
  const contenders: Record<string, () => Promise<Sample>> = {}
  for (const store of on) {
    const url = await stores.fresh(store)
    await measureStart(() => startPlazo(url))
    contenders[`plazo on ${called[store]}`] = () => measureStart(() => startPlazo(url))
  }
  contenders['bare Hono'] = () => measureStart(() => startProcess('./constant-server.ts'))
  return inRounds(contenders, { rounds, size, say })
}

export const startUp: Part = {
  name: 'start-up',
  about: 'milliseconds from the start of the process until it says that it is ready',
  measure,
}
