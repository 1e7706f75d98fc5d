// A resend of a finished delivery has an outbox row of its own. Its lane is `beside <lane of the delivery>`, which is none of
// the order's lanes, so the resend neither waits for the order's lanes nor holds them up.
export const RESEND_LANE_PREFIX = 'beside '

/** The order's lane for a row's lane: without the `beside ` prefix. */
export const withoutResendPrefix = (lane: string): string =>
  lane.startsWith(RESEND_LANE_PREFIX) ? lane.slice(RESEND_LANE_PREFIX.length) : lane
