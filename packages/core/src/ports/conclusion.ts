// What the carrying out of an effect comes to.
/** How an effect ended. `unsupported`: the merchant does not do what was asked. */
export type Ending = 'delivered' | 'exhausted' | 'stopped' | 'unsupported'

/** What becomes of a claimed entry, unless a step has withdrawn it meanwhile: then it is stopped, whatever came of it. */
export type Conclusion =
  | { readonly type: 'ended'; readonly as: Ending }
  | { readonly type: 'again'; readonly dueAt: number }
