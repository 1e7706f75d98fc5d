// Counts the flushes that the block device under a folder has completed. The kernel counts them,
// independently of our settings. Null if there is no such count: no block device, or a system other
// than Linux.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Field 16 of /sys/block/<device>/stat: the number of completed flush requests.
const COMPLETED = 15

const statOf = (folder: string): string | null => {
  const { dev } = statSync(folder)
  const name = `/sys/dev/block/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`
  if (!existsSync(name)) return null
  const device = realpathSync(name)
  // A partition's flushes are counted at its disk.
  return join(existsSync(join(device, 'partition')) ? dirname(device) : device, 'stat')
}

export const flushesUnder = (folder: string): (() => number) | null => {
  const stat = statOf(folder)
  if (stat === null) return null
  const countCompleted = (): number =>
    Number(readFileSync(stat, 'utf8').trim().split(/\s+/)[COMPLETED] ?? Number.NaN)
  return Number.isNaN(countCompleted()) ? null : countCompleted
}
