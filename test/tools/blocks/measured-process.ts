// The process that the commands in this folder measure: a sandbox on a database that is filled
// first. It reports to its parent how long its event loop was blocked and how much memory it uses.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openLog, serve } from '@plazo/server'
import { composeInMode, configFrom } from '../../harness/config.ts'
import { fillWithLargeData, LARGE, type LargeData, SMALL } from './large-data.ts'

/** The messages from the parent, and the replies. */
export type ParentMessage = 'reset' | 'read'
export type ChildMessage =
  | ({ readonly type: 'ready'; readonly url: string } & LargeData)
  /** `blockedMillis`: the longest block since the last reset. */
  | { readonly type: 'reading'; readonly blockedMillis: number; readonly residentBytes: number }

// The monitor's own timer, which it counts as a delay.
const RESOLUTION = 1

const sendMessage = (message: ChildMessage): void => void process.send?.(message)

const path = process.env.FILE ?? ''
const data = await fillWithLargeData(path, process.env.SIZE === 'small' ? SMALL : LARGE)
const config = configFrom({
  DATABASE_URL: `sqlite:${path}`,
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'error',
})
const { baseUrl } = await serve(config, openLog('error'), {
  compose: composeInMode,
})
const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
delay.enable()

// The parent has exited.
process.on('disconnect', () => process.exit())
process.on('message', (ask: ParentMessage) => {
  if (ask === 'reset') delay.reset()
  const blockedMillis = Math.max(0, delay.max / 1e6 - RESOLUTION)
  sendMessage({ type: 'reading', blockedMillis, residentBytes: process.memoryUsage.rss() })
})
sendMessage({ type: 'ready', url: baseUrl.replace('localhost', '127.0.0.1'), ...data })
