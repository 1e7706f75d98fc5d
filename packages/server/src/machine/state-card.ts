// The statechart in words, for a list instead of a picture. Pages run this in the browser, so it has only types.

/** `event`: the event that ends the step, or null if none does. `value`: what the event must say, for example a product. */
export type GuideStep = { readonly words: string; readonly event: string | null; readonly value: string | null }

/**
 * The shortest way to a state. `trigger`: the surnames that take it in the sandbox, empty if any others do, null if a provider
 * must fail.
 */
export type Guide = { readonly trigger: string | null; readonly steps: readonly GuideStep[] }

/** Says of a state what its picture says. `depth`: the number of boxes around it. */
export type StateCard = {
  readonly id: string
  readonly region: string
  readonly depth: number
  readonly title: string
  readonly caption: string | null
  readonly wait: string | null
  readonly section: string | null
  /** Null: a new order is here, or no short way leads here. */
  readonly guide: Guide | null
  readonly ways: readonly { readonly words: string; readonly to: string; readonly toTitle: string }[]
}
