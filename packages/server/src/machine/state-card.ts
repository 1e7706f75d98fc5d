// The statechart in words, for a list instead of a picture. Pages run this in the browser, so it has only types.

/** Says of a state what its picture says. `depth`: the number of boxes around it. */
export type StateCard = {
  readonly id: string
  readonly region: string
  readonly depth: number
  readonly title: string
  readonly caption: string | null
  readonly wait: string | null
  readonly section: string | null
  readonly ways: readonly { readonly words: string; readonly to: string; readonly toTitle: string }[]
}
