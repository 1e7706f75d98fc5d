// Seeds that have told a story worth keeping: each is run again in the gate, with the orders it needs.

export type Found = {
  readonly seed: number
  readonly orders: readonly number[]
  /** What it showed, or what it goes through. */
  readonly what: string
}

export const FOUND: readonly Found[] = [
  { seed: 9, orders: [14], what: 'codes run out while the network is bad, the process stands still and comes back' },
  {
    seed: 30,
    orders: [85],
    what: 'the message with a code fails until the code is void: it is stopped, and not sent late',
  },
  { seed: 2, orders: [25], what: 'an action endpoint that is down has each event for a week, one after another' },
]
