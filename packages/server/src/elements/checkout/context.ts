// The steps of the checkout share one context and one shape, so that the element can show any of
// them in the same frame.
import type { CheckoutMetadata, CheckoutSummary, PlanInFull } from '@plazo/core/internal'
import type { CheckoutTexts } from '../../api/checkout/english.ts'
import { type Child, make } from '../../http/page/script/dom.ts'
import type { Action, Checkout } from './checkout-driver.entry.ts'

export type Context = {
  readonly texts: CheckoutTexts
  readonly summary: CheckoutSummary
  readonly metadata: CheckoutMetadata
  readonly checkout: Checkout
  /** The level of the step's heading: 1 on our own page. */
  readonly headingTag: 'h1' | 'h2'
  /** Says what delays or refuses a request. A step places it next to its button. */
  readonly trouble: HTMLElement
  /** When the present wait began, by `performance.now()`; null outside a wait. */
  waitsSince: number | null
  /** True: the last payment failed, and the next step says so. */
  hasPaymentFailed: boolean
  /** The plan that the shopper has sent; null if this page has sent none. */
  plan: PlanInFull | null
  readonly showDetails: () => void
  /** Called when the heading of the shown step has changed. */
  readonly nameStep: () => void
}

export type Step = {
  /** Placed above the heading; the whole step is centred then. */
  readonly lead?: Node
  readonly heading: HTMLElement
  readonly content: readonly Child[]
  /** True if this step stays for the next action. Otherwise a new step replaces it. */
  readonly update?: (action: Action) => boolean
  /** Gets the focus. Default: the heading. */
  readonly focus?: HTMLElement
  /** Called when another step replaces this one. */
  readonly end?: () => void
}

export const headingOf = ({ headingTag }: Context, text: string): HTMLElement =>
  make(`${headingTag}.title`, { tabindex: '-1' }, text)

export const backLink = (
  { texts, summary }: Pick<Context, 'texts' | 'summary'>,
  look = 'button',
): HTMLElement => make('a', { href: summary.return_url, class: look }, texts.back)

/** A link that leaves the checkout open. */
export const newTab = (href: string, text: string, look: string | null = null): HTMLElement =>
  make('a', { class: look, href, target: '_blank', rel: 'noopener' }, text)

/**
 * Shows `text` on the button until the work is done. A second press in the meantime has no effect.
 */
export const showProgress = async (
  button: HTMLElement,
  text: string,
  work: () => Promise<void>,
): Promise<void> => {
  if (button.hasAttribute('aria-busy')) return
  const before = button.textContent
  button.setAttribute('aria-busy', 'true')
  button.textContent = text
  await work()
  button.removeAttribute('aria-busy')
  button.textContent = before
}

/** Pressing `button` calls `submit`, and the button shows `progress` until that is done. */
export const makeForm = (
  button: HTMLElement,
  progress: string,
  submit: () => Promise<void>,
  content: readonly Child[],
): HTMLFormElement => {
  const onsubmit = (event: Event): void => {
    event.preventDefault()
    void showProgress(button, progress, submit)
  }
  return make('form.stack', { novalidate: true, onsubmit }, content)
}

/** "0:58" */
export const clockTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/**
 * Focuses a wrong field or a message, in the middle of the window, because shoppers overlook the
 * edges.
 */
export const showAndFocus = (element: HTMLElement | null): void => {
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'center' })
}
