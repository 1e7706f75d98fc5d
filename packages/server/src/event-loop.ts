// Work that is done in slices leaves the event loop free between two of them, so that no request waits for another's listing.

/** Resolves once the event loop has looked at everything else that is ready. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
