// Random numbers from a seed: they choose each shopper's path and each kill. The timing of the
// machine remains random.

export type SeededRandom = {
  /** From 0 to below 1. */
  readonly next: () => number
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <A>(list: readonly [A, ...A[]]) => A
  readonly shuffle: <A>(list: readonly A[]) => readonly A[]
}

const MIX = 0x6d2b79f5

// mulberry32, started from an FNV-1a hash. Each use of a seed has a name, and so its own stream.
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash
}

export const seededRandom = (seed: number, use: string): SeededRandom => {
  let state = hashOf(`${seed} ${use}`)
  const next = (): number => {
    state = (state + MIX) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (list) => list[below(list.length)] ?? list[0],
    shuffle: (list) =>
      list
        .map((value) => ({ value, rank: next() }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ value }) => value),
  }
}
