// What every part of the store may answer instead.

/** The store cannot be reached or has too much waiting; nothing was written. */
export type Unavailable = { readonly _tag: 'Unavailable'; readonly message: string }
