// <plazo-checkout order="…"> shows a whole checkout in any page. Its shadow root keeps the page's
// style and its own apart, and it needs no inline style or script. docs/hosted-form.md.
import type { CheckoutMetadata, CheckoutSummary } from '@plazo/core/protocol'
import { CHECKOUT_TEXTS } from '../../api/checkout/texts.ts'
import { type Child, emit, fillTemplate, make, makeShadow } from '../../http/page/script/dom.ts'
import {
  type Action,
  type ActionOf,
  type Checkout,
  startCheckout,
  type Trouble,
} from './checkout-driver.entry.ts'
import { codeStep } from './code-step.ts'
import { backLink, type Context, type Step } from './context.ts'
import { type Errors, personStep } from './person.ts'
import { cartCard } from './plans.ts'
import { alternativeStep, endStep, paymentStep, verifyStep, waitStep } from './steps.ts'
import STYLE from './style.css'

/**
 * Attributes: `order` (the uuid), `product` (a code; default: the order's own), `page` (present:
 * the element is the whole page, so its heading is the page's, and it names the step in the page's
 * title). With another `order` or `product`, it starts again. It sets `failed` if it cannot open the checkout; its own content is shown again then.
 *
 * Events, which bubble: `plazo-action` with the action in `detail`; `plazo-step` with
 * `detail.title`; `plazo-finish` with `detail.return_url`, where it leads the shopper unless the
 * page prevents the default.
 */
class PlazoCheckout extends HTMLElement {
  static readonly observedAttributes = ['order', 'product']

  readonly #root = makeShadow(
    this,
    STYLE,
    new URL('../sdk/plazo-checkout.css', import.meta.url).href,
  )
  #place = make('div')
  #stop = (): void => {}

  connectedCallback(): void {
    this.#start()
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (this.isConnected && before !== after) this.#start()
  }

  disconnectedCallback(): void {
    this.#stop()
  }

  /** A page may set several attributes one after the other, which is one start. */
  #start(): void {
    this.#stop()
    let isStopped = false
    this.#stop = () => {
      isStopped = true
    }
    queueMicrotask(() => {
      if (isStopped) return
      this.#place.remove()
      // Until there is something to show, the page's own content is seen.
      this.#place = make('div.shown', make('slot'))
      this.#root.append(this.#place)
      this.removeAttribute('failed')
      this.#stop = runCheckout(this, this.#place)
    })
  }
}

/** Returns a function that ends it. */
const runCheckout = (element: HTMLElement, place: HTMLElement): (() => void) => {
  let steps: Steps | null = null
  let isStopped = false
  const checkout = startCheckout({
    order: element.getAttribute('order') ?? '',
    onAction: (action, { needsDetails }) => {
      // A step that cannot be shown must not leave the shopper alone.
      queue = queue.then(() => steps?.show(action, needsDetails)).catch(fail)
    },
    onTrouble: (trouble) => steps?.showTrouble(trouble),
  })

  const stop = (): void => {
    isStopped = true
    checkout.stop()
    steps?.end()
    steps = null
  }
  const close = (...content: readonly Child[]): void => {
    stop()
    place.replaceChildren(make('div.stack', content))
    element.toggleAttribute('failed', true)
  }
  const fail = (): void => {
    if (isStopped) return
    const { troubles } = CHECKOUT_TEXTS[document.documentElement.lang === 'es' ? 'es' : 'en']
    const alert = make('p.alert', { role: 'alert' }, troubles.unknown)
    close(alert, steps?.wayBack, make('slot'))
  }
  const open = (summary: CheckoutSummary, metadata: CheckoutMetadata): void => {
    if (isStopped) return
    const texts = CHECKOUT_TEXTS[summary.language]
    const { closed } = texts
    const headingTag = element.hasAttribute('page') ? 'h1' : 'h2'
    const missing = summary.missing_settings.join(', ')
    if (missing === '') steps = showSteps(element, place, checkout, summary, metadata)
    // The operator must set who lends before a shopper may be bound.
    else
      close(
        make(
          'section.card.step',
          make(headingTag, closed.title),
          make('p', closed.text),
          make('p.quiet', `${closed.missing} ${missing}`),
          make('p', backLink({ texts, summary })),
        ),
      )
  }
  const product = element.getAttribute('product')
  /** Actions are shown one after the other, because some need an answer first. */
  let queue = Promise.all([checkout.summary(product), checkout.metadata(product)])
    .then((read) => open(...read))
    .catch(fail)
  return stop
}

type Steps = ReturnType<typeof showSteps>

/** Shows one step after the other, next to the order. */
const showSteps = (
  element: HTMLElement,
  place: HTMLElement,
  checkout: Checkout,
  summary: CheckoutSummary,
  metadata: CheckoutMetadata,
) => {
  const isPage = element.hasAttribute('page')
  const texts = CHECKOUT_TEXTS[summary.language]
  const trouble = make('p.trouble', { role: 'status' })
  let step: Step | null = null
  let person: ReturnType<typeof personStep> | null = null

  const nameStep = (): void => {
    const title = step?.heading.textContent ?? ''
    if (isPage) document.title = `${title} · ${summary.seller}`
    emit(element, 'plazo-step', { title })
  }
  const context: Context = {
    texts,
    summary,
    metadata,
    checkout,
    waitsSince: null,
    hasPaymentFailed: false,
    plan: null,
    headingTag: isPage ? 'h1' : 'h2',
    trouble,
    showDetails: () => showPerson({}, false),
    nameStep,
  }
  const cart = cartCard(context)

  const draw = (lead: Child, ...content: readonly Child[]): void =>
    place.replaceChildren(
      make(
        'div.checkout',
        { lang: summary.language },
        cart,
        make(lead ? 'section.card.step.centered' : 'section.card.step', lead, content),
      ),
    )

  /**
   * Moves the focus to the new heading, so that shoppers who cannot see the page notice the change.
   */
  const change = (next: Step): void => {
    if (next === step) return
    const isFirst = step === null
    step?.end?.()
    step = next
    draw(next.lead, next.heading, ...next.content)
    nameStep()
    if (isFirst) return
    const target = next.focus ?? next.heading
    next.heading.scrollIntoView({ block: 'nearest' })
    target.focus()
  }

  const showPerson = (errors: Errors, isReloaded: boolean): void => {
    // Kept with all that was typed into it.
    person ??= personStep(context)
    change(person)
    person.show(errors, isReloaded)
  }

  const stepFor = async (
    action: Exclude<Action, ActionOf<'show_identification_form'>>,
  ): Promise<Step> => {
    switch (action.action) {
      case 'require_validate_otp':
        return codeStep(context)
      case 'require_payment':
        return paymentStep(context, action)
      case 'alt_payment':
        // The shopper chooses another product now.
        cart.querySelector('.product')?.remove()
        return alternativeStep(context, action)
      case 'wait_for_id_verification':
        return action.status === 'STARTED' || action.status === 'ERROR'
          ? verifyStep(context, action)
          : waitStep(context, action)
      case 'wait_for_screening':
      case 'wait_for_confirmation':
      case 'wait_for_on_hold':
        return waitStep(context, action)
      case 'reject':
        return endStep(context, action, await checkout.summary())
      default:
        return endStep(context, action)
    }
  }

  const show = async (action: Action, needsDetails: boolean): Promise<void> => {
    emit(element, 'plazo-action', action)
    if (!needsDetails && step?.update?.(action)) return
    if (!action.action.startsWith('wait_for_')) context.waitsSince = null
    if (action.action === 'show_identification_form')
      showPerson('errors' in action ? action.errors : {}, needsDetails)
    else if (needsDetails) showPerson({}, true)
    else {
      const next = await stepFor(action)
      // The element may have been given another order meanwhile.
      if (!place.isConnected) return
      change(next)
    }
    if (
      action.action === 'finish' &&
      emit(element, 'plazo-finish', { return_url: action.return_url })
    )
      location.replace(action.return_url)
  }

  // Until the first step is known, this says what delays it.
  draw(null, make('p.quiet', texts.opening), trouble)
  return {
    show,
    showTrouble: (current: Trouble | null): void => {
      trouble.textContent = current && fillTemplate(texts.troubles[current.kind], current)
      if (current) trouble.scrollIntoView({ block: 'nearest' })
    },
    wayBack: backLink(context),
    end: () => step?.end?.(),
  }
}

// A page may load the script twice, also from two addresses.
if (!customElements.get('plazo-checkout')) customElements.define('plazo-checkout', PlazoCheckout)
