// Starts our own processes on free ports of the loopback interface: limits, peers and the sink.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type Running = {
  readonly port: number
  readonly child: ChildProcess
  readonly stop: () => Promise<void>
}

/** Resolves once the process has printed `listening on <port>`. `file` is relative to this file. */
export const startProcess = (
  file: string,
  args: readonly string[] = [],
  errors: 'inherit' | 'ignore' = 'inherit',
): Promise<Running> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL(file, import.meta.url))
    const child = spawn(process.execPath, ['--max-semi-space-size=64', main, ...args], {
      stdio: ['ignore', 'pipe', errors],
    })
    const rejectEnd = (code: number | null): void =>
      reject(new Error(`${file} ended with ${code}.`))
    child.once('exit', rejectEnd)
    const stop = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    child.stdout?.on('data', (chunk: Buffer) => {
      const [, port] = /listening on (\d+)/.exec(chunk.toString()) ?? []
      if (port !== undefined) resolve({ port: Number(port), child, stop })
    })
  })

export const startSink = (): Promise<Running> => startProcess('./sink.ts')

/** `eventCount`: the number of events received. */
type CountingMerchant = { readonly url: string; readonly eventCount: () => Promise<number> }

/** A separate merchant for each host, so that late events of another host do not count. */
export const merchantAt = ({ port }: Running): CountingMerchant => {
  const url = `http://127.0.0.1:${port}/${randomUUID()}`
  return { url, eventCount: async () => Number(await (await fetch(`${url}/events`)).text()) }
}
