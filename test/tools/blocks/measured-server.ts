// Starts the process of measured-process.ts, and reads its measurements.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { agreement, stagesOf, surnames } from '../../end-to-end/stages.ts'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { type Shop, shopAt } from '../../harness/shop.ts'
import type { LargeData } from './large-data.ts'
import type { ChildMessage, ParentMessage } from './measured-process.ts'

const SERVED = fileURLToPath(new URL('./measured-process.ts', import.meta.url))

type Reading = Extract<ChildMessage, { type: 'reading' }>

export type MeasuredServer = LargeData & {
  readonly url: string
  /**
   * Paths of the pages where one order is paid, and where another order's shopper is identified.
   */
  readonly payPath: string
  readonly verifyPath: string
  readonly reset: () => Promise<Reading>
  readonly read: () => Promise<Reading>
  readonly isAlive: () => boolean
  readonly stop: () => Promise<void>
}

const pathsOfPages = async (
  shop: Shop,
): Promise<Pick<MeasuredServer, 'payPath' | 'verifyPath'>> => {
  const { revealed } = stagesOf(shop)
  const { action: payment } = await revealed({ ...agreement('fp1'), ...surnames('lowrisk event') })
  const { action: session } = await revealed(surnames('identity event'))
  const { pathname: payPath } = new URL(String(payment.iframe_url))
  const { pathname: verifyPath } = new URL(String(session.session_url))
  return { payPath, verifyPath }
}

/** `heapMegabytes`: the heap size at which the process runs out of memory. */
export const startMeasured = async (
  size: 'large' | 'small',
  heapMegabytes?: number,
): Promise<MeasuredServer> => {
  const { path, remove } = temporaryPath('plazo.db')
  const child = fork(SERVED, {
    // As `pnpm start` runs it.
    env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '128', FILE: path, SIZE: size },
    execArgv: [
      '--max-semi-space-size=64',
      ...(heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]),
    ],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  const next = async <Type extends ChildMessage['type']>(
    type: Type,
  ): Promise<Extract<ChildMessage, { type: Type }>> => {
    const [message] = (await Promise.race([once(child, 'message'), exited])) as [
      ChildMessage | number | null,
    ]
    if (typeof message !== 'object' || message === null || message.type !== type)
      throw new Error('The server has ended.')
    // The tag was checked above, but the compiler cannot narrow by a generic parameter.
    return message as Extract<ChildMessage, { type: Type }>
  }
  const ask = (what: ParentMessage): Promise<Reading> => {
    const reading = next('reading')
    child.send(what)
    return reading
  }
  const { url, longOrder, loudDelivery } = await next('ready')
  const paths = await pathsOfPages(shopAt(url))
  return {
    url,
    longOrder,
    loudDelivery,
    ...paths,
    reset: () => ask('reset'),
    read: () => ask('read'),
    isAlive,
    stop: async () => {
      if (isAlive()) child.kill('SIGKILL')
      await exited
      remove()
    },
  }
}
