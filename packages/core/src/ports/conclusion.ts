// What the carrying out of an effect comes to.

/** How an effect ended. `unsupported`: the merchant does not do what was asked. */
export type Ending = 'delivered' | 'exhausted' | 'stopped' | 'unsupported'

/** What becomes of a claimed entry, unless the step withdraws it. */
export type Conclusion =
  | { readonly type: 'ended'; readonly as: Ending }
  | { readonly type: 'again'; readonly dueAt: number }
