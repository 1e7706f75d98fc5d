// The fencing token of a claim. The part before the first `|` is stored in the row and is new with every claim. The rest
// describes the row, so that completing the job needs no read.

export type ClaimToken = {
  /** The part that is stored in the row. */
  readonly held: string
  readonly id: number
  /** The row of the delivery. For a resend, this is the finished delivery; otherwise it is the job's own row. */
  readonly deliveryId: number
  /** The number of the delivery's attempt. */
  readonly attempt: number
  readonly lane: string
  readonly isWork: boolean
}

export const encodeToken = ({ held, id, deliveryId, attempt, lane, isWork }: ClaimToken): string =>
  `${held}|${id}|${deliveryId}|${attempt}|${isWork ? 'work' : 'delivery'}|${lane}`

/** Null if the text is not a token of a claim. */
export const decodeToken = (token: string): ClaimToken | null => {
  const [held, id, deliveryId, attempt, kind, lane] = token.split('|')
  return held === undefined || lane === undefined
    ? null
    : {
        held,
        id: Number(id),
        deliveryId: Number(deliveryId),
        attempt: Number(attempt),
        lane,
        isWork: kind === 'work',
      }
}

export const isResend = ({ id, deliveryId }: ClaimToken): boolean => id !== deliveryId
