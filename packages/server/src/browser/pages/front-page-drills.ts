// On the front page the user chooses how the shop answers the next order: as usual, or with a fault drill that touches only that order.
import './drills-element.ts'

const choice = document.getElementById('answers') as HTMLSelectElement

const showOutcome = (): void => {
  const outcome = document.getElementById('answers-outcome') as HTMLElement
  outcome.textContent = choice.selectedOptions[0]?.dataset.outcome ?? ''
}

choice.addEventListener('change', showOutcome)
showOutcome()

/** The body of the drill for an order; null: the shop answers as usual. */
export const chosenDrill = (orderRef: string): object | null => {
  const { value } = choice
  if (value === '') return null
  // Not every order has an IPN first, so another webhook may pass or be passed by any.
  return { fault: value, order_ref: orderRef, ...(value !== 'reorder' && { event: 'ipn' }) }
}

export const refreshDrills = (): void => {
  const banner = document.querySelector('plazo-drills') as (HTMLElement & { refresh?: () => Promise<void> }) | null
  void banner?.refresh?.()
}
