// The row that sends an ended delivery once more stands in no lane of the order's: beside that of the delivery.
export const BESIDE = 'beside '

/** The lane of the order's that the row is of. */
export const ownLane = (lane: string): string => (lane.startsWith(BESIDE) ? lane.slice(BESIDE.length) : lane)
