// Seeds that have found a bug, or a law that was too strict. The gate runs each of them again, with the orders it needs.

type RegressionSeed = {
  readonly seed: number
  readonly orders: readonly number[]
  readonly what: string
}

export const REGRESSION_SEEDS: readonly RegressionSeed[] = [
  { seed: 30, orders: [85], what: 'a code’s message fails until the code is void, and is not sent late' },
  { seed: 9, orders: [48], what: 'requests and answers are lost for hours, and commits fail under the message' },
  { seed: 28, orders: [92], what: 'the clock is set back while a screening counts down: 61 of 60 seconds were left' },
  { seed: 89, orders: [66], what: 'the server is away for longer than a code lives' },
  { seed: 3, orders: [14], what: 'the operator approves what a merchant without IPN must confirm by PUT' },
]
