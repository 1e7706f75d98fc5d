// Allows at most `max` counts of one key in any minute. The window slides, so that no border between two minutes lets twice as
// many through. Libraries count in fixed windows, and count refused requests too.

export type MinuteLimit = {
  /** Whole seconds until one more fits; 0 if it does now. */
  readonly secondsUntilFree: (key: string) => number
  readonly count: (key: string) => void
  /** The number of remembered instants, of all keys together. */
  readonly size: () => number
}

type MinuteLimitOptions = {
  readonly max: number
  /** Monotonic time in real milliseconds. */
  readonly now: () => number
  /** Beyond it, the keys counted longest ago are forgotten, so that made-up keys cannot fill the memory. */
  readonly instantsMax?: number
}

const MINUTE = 60_000
// Instants of eight bytes each, about 16 MB in total.
const INSTANTS_MAX = 2_000_000
// The additional cost of a key, in instants.
const KEY_COST = 20

export const minuteLimit = ({ max, now, instantsMax: remembered = INSTANTS_MAX }: MinuteLimitOptions): MinuteLimit => {
  // Each key's instants, oldest first; the keys in the order in which they were last counted.
  const counted = new Map<string, number[]>()
  let size = 0

  const drop = (key: string, count: number): void => {
    const instants = counted.get(key) ?? []
    size -= Math.min(count, instants.length)
    instants.splice(0, count)
    if (instants.length === 0) counted.delete(key)
  }

  const countedThisMinute = (key: string): readonly number[] => {
    const instants = counted.get(key) ?? []
    const since = now() - MINUTE
    const firstRecent = instants.findIndex((at) => at > since)
    drop(key, firstRecent < 0 ? instants.length : firstRecent)
    return counted.get(key) ?? []
  }

  const dropOldest = (): void => {
    const since = now() - MINUTE
    for (const [key, instants] of counted) {
      if ((instants.at(-1) ?? 0) > since && size + KEY_COST * counted.size <= remembered) return
      drop(key, instants.length)
    }
  }

  return {
    secondsUntilFree: (key) => {
      const recent = countedThisMinute(key)
      const oldest = recent[recent.length - max]
      return oldest === undefined ? 0 : Math.ceil((oldest + MINUTE - now()) / 1000)
    },
    count: (key) => {
      const instants = counted.get(key) ?? []
      instants.push(now())
      counted.delete(key)
      counted.set(key, instants)
      size += 1
      dropOldest()
    },
    size: () => size,
  }
}
