// An order's state as the journal's columns hold it: three names.
import type { OrderState } from '@plazo/core'

export const stateText = ({ checkout, risk, cancellation }: OrderState): string => `${checkout} ${risk} ${cancellation}`

export const stateOf = (text: string): OrderState => {
  const [checkout, risk, cancellation] = text.split(' ')
  return { checkout, risk, cancellation } as OrderState
}
