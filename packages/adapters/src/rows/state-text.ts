// The journal's columns hold an order's state as text: three names, separated by spaces.
import type { OrderState } from '@plazo/core'

export const encodeState = ({ checkout, risk, cancellation }: OrderState): string =>
  `${checkout} ${risk} ${cancellation}`

export const decodeState = (text: string): OrderState => {
  const [checkout, risk, cancellation] = text.split(' ')
  return { checkout, risk, cancellation } as OrderState
}
