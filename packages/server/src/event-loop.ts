// Long work is done in slices that leave the event loop free in between, so that no request waits for another's listing.

/** Resolves after the event loop has handled everything else that is ready. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
