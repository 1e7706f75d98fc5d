// What a claim is held by. The part before the stroke stands in the row and is new with every claim; the rest tells
// whoever settles what the row is, so that nothing has to be read for it.

export type ClaimToken = {
  /** As the row holds it. */
  readonly held: string
  readonly id: number
  /** The delivery it sends; its own row, unless it sends an ended one once more. */
  readonly deliveryId: number
  /** The number of the delivery's attempt. */
  readonly attempt: number
  readonly lane: string
  readonly isWork: boolean
}

export const writeToken = ({ held, id, deliveryId, attempt, lane, isWork }: ClaimToken): string =>
  `${held}|${id}|${deliveryId}|${attempt}|${isWork ? 'work' : 'delivery'}|${lane}`

/** Null for what no claim has given. */
export const readToken = (token: string): ClaimToken | null => {
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

export const isBeside = ({ id, deliveryId }: ClaimToken): boolean => id !== deliveryId
