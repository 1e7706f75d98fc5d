// The front page fills in the shopper's data, so that a purchase takes a few clicks. Everything else is the checkout's own.
import { make } from './dom.ts'

export type DemoShopper = { readonly name: string; readonly surnames: string }

const detailsOf = ({ name, surnames }: DemoShopper): Readonly<Record<string, string>> => ({
  given_names: name,
  surnames,
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
})

/** Fills each empty field as soon as the checkout shows it. */
export const prefill = (checkout: HTMLElement, shopper: DemoShopper): void => {
  const details = detailsOf(shopper)
  checkout.addEventListener('plazo-step', () => {
    for (const [name, value] of Object.entries(details)) {
      const input = checkout.shadowRoot?.querySelector<HTMLInputElement>(`input[name=${name}]`)
      if (input && input.value === '') input.value = value
    }
  })
}

/** `order`: its uuid. Loads the element on first use. */
export const loadCheckout = async (place: HTMLElement, order: string): Promise<void> => {
  try {
    await import(new URL('../plazo-checkout.js', import.meta.url).href)
  } catch {
    const link = make('a', { href: `orders/${order}/form_v2`, target: '_blank' }, 'Open the checkout')
    place.replaceChildren(make('p', {}, link, ' with username demo and password demo.'))
  }
}
