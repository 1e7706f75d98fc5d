// The result of running an effect, shared by the ports that store it and the use cases that produce it.
/** How an effect ended. `unsupported`: the merchant does not support the request. */
export type FinalStatus = 'delivered' | 'exhausted' | 'stopped' | 'unsupported'

/** The next state of a claimed entry. If a step has withdrawn the entry meanwhile, it is `stopped` in any case. */
export type AttemptResult =
  | { readonly type: 'finished'; readonly status: FinalStatus }
  | { readonly type: 'retry'; readonly dueAt: number }
