// <plazo-checkout order="…"> shows a whole checkout in any page. Its shadow root keeps the page's
// style and its own apart, and it needs no inline style or script. docs/hosted-form.md.
import type { CheckoutMetadata, CheckoutSummary, PlanInFull } from '@plazo/core/protocol'
import { CHECKOUT_TEXTS } from '../../api/checkout/texts.ts'
import {
  type Child,
  emit,
  fill,
  fillTemplate,
  make,
  makeShadow,
} from '../../http/page/script/dom.ts'
import {
  type Action,
  type ActionOf,
  type Checkout,
  startCheckout,
  type Trouble,
} from './checkout-driver.entry.ts'
import { codeStep } from './code-step.ts'
import { backLink, type Context, type Step } from './context.ts'
import { type Errors, type PersonStep, personStep } from './person.ts'
import { cartCard, planRecap } from './plans.ts'
import { alternativeStep, endStep, isEnd, paymentStep, verifyStep, waitStep } from './steps.ts'
import STYLE from './style.css'

/**
 * Attributes: `order` (the uuid), `product` (a code; default: the order's own), `page` (present:
 * the element is the whole page, so its heading is the page's, and it names the step in the page's
 * title). It sets `failed` if it cannot open the checkout; its own content is shown again then.
 *
 * Events, which bubble: `plazo-action` with the action in `detail`; `plazo-step` with
 * `detail.title`; `plazo-finish` with `detail.return_url`, where it leads the shopper unless the
 * page prevents the default.
 */
class PlazoCheckout extends HTMLElement {
  readonly #root = makeShadow(this, STYLE, new URL('../plazo-checkout.css', import.meta.url).href)
  readonly #place = make('div')
  readonly #plan = make('div', { class: 'chosen' })
  #checkout: Checkout | null = null
  #context: Context | null = null
  #main: HTMLElement | null = null
  #step: Step | null = null
  #person: PersonStep | null = null
  /** Actions are shown one after the other, because some need an answer first. */
  #shown: Promise<void> = Promise.resolve()

  connectedCallback(): void {
    // Until there is something to show, the page's own content is seen.
    this.#place.replaceChildren(make('slot'))
    this.#root.append(this.#place)
    const product = this.getAttribute('product')
    const checkout = startCheckout({
      order: this.getAttribute('order') ?? '',
      onAction: (action, { needsDetails }) => {
        this.#shown = this.#shown
          .then(() => opened)
          .then(() => this.#show(action, needsDetails))
          // A step that cannot be shown must not leave the shopper alone.
          .catch(() => this.#fail())
      },
      onTrouble: (trouble) => this.#showTrouble(trouble),
    })
    this.#checkout = checkout
    const opened = Promise.all([checkout.summary(product), checkout.metadata(product)]).then(
      ([summary, metadata]) => this.#open(checkout, summary, metadata),
      () => this.#fail(),
    )
  }

  disconnectedCallback(): void {
    this.#checkout?.stop()
    this.#step?.end?.()
    this.#step = null
  }

  #open(checkout: Checkout, summary: CheckoutSummary, metadata: CheckoutMetadata): void {
    const texts = CHECKOUT_TEXTS[summary.language]
    if (summary.missing_settings.length > 0) {
      this.#close(summary)
      return
    }
    const context: Context = {
      texts,
      summary,
      metadata,
      checkout,
      waitsSince: null,
      hasPaymentFailed: false,
      plan: null,
      headingTag: this.hasAttribute('page') ? 'h1' : 'h2',
      trouble: make('p', { class: 'trouble', role: 'status' }),
      showDetails: () => this.#showPerson({}, false),
    }
    this.#context = context
    // Until the first step is known, this says what delays it.
    this.#main = make('section', { class: 'card step' }, [
      make('p', { class: 'quiet' }, texts.opening),
      context.trouble,
    ])
    this.#place.replaceChildren(
      make('div', { class: 'checkout', lang: summary.language }, [
        cartCard(context, this.#plan),
        this.#main,
      ]),
    )
    this.#main.addEventListener('plazo-title', () => this.#nameStep())
  }

  #fail(): void {
    const texts = CHECKOUT_TEXTS[document.documentElement.lang === 'es' ? 'es' : 'en']
    const alert = make('p', { class: 'alert', role: 'alert' }, texts.troubles.unknown)
    this.#end([alert, this.#context && backLink(this.#context), make('slot')])
  }

  /** The operator must set who lends before a shopper may be bound. */
  #close({ language, missing_settings: missing, return_url: shopUrl }: CheckoutSummary): void {
    const { closed, back } = CHECKOUT_TEXTS[language]
    const heading = make(this.hasAttribute('page') ? 'h1' : 'h2', {}, closed.title)
    const names = make('p', { class: 'quiet' }, `${closed.missing} ${missing.join(', ')}`)
    const way = make('p', {}, make('a', { href: shopUrl, class: 'button' }, back))
    this.#end([
      make('section', { class: 'card step' }, [heading, make('p', {}, closed.text), names, way]),
    ])
  }

  #end(content: readonly Child[]): void {
    this.#checkout?.stop()
    this.#step?.end?.()
    this.#step = null
    this.#context = null
    this.#place.replaceChildren(make('div', { class: 'stack' }, content))
    this.toggleAttribute('failed', true)
  }

  #nameStep(): void {
    const { heading } = this.#step ?? {}
    if (heading === undefined || this.#context === null) return
    const title = heading.textContent ?? ''
    if (this.hasAttribute('page')) document.title = `${title} · ${this.#context.summary.seller}`
    emit(this, 'plazo-step', { title })
  }

  #showTrouble(trouble: Trouble | null): void {
    const context = this.#context
    if (context === null) return
    const { troubles } = context.texts
    context.trouble.textContent =
      trouble === null
        ? ''
        : fillTemplate(troubles[trouble.kind], {
            seconds: 'seconds' in trouble ? trouble.seconds : '',
          })
    if (trouble !== null) context.trouble.scrollIntoView({ block: 'nearest' })
  }

  /**
   * Moves the focus to the new heading, so that shoppers who cannot see the page notice the change.
   */
  #change(step: Step): void {
    if (this.#main === null || step === this.#step) return
    const isFirst = this.#step === null
    this.#step?.end?.()
    this.#step = step
    this.#main.classList.toggle('centered', step.lead !== undefined)
    fill(this.#main, [step.lead ?? null, step.heading, ...step.content])
    fill(this.#plan, (step.plan && this.#context && planRecap(this.#context, step.plan)) ?? null)
    this.#nameStep()
    if (isFirst) return
    if (step.focus) step.focus()
    else {
      step.heading.focus({ preventScroll: true })
      step.heading.scrollIntoView({ block: 'nearest' })
    }
  }

  async #show(action: Action, needsDetails: boolean): Promise<void> {
    const context = this.#context
    if (context === null) return
    emit(this, 'plazo-action', action)
    if (needsDetails) return this.#showPerson({}, true)
    if (this.#step?.update?.(action)) return
    if (!action.action.startsWith('wait_for_')) context.waitsSince = null
    if (isEnd(action)) {
      const decision = action.action === 'reject' ? await context.checkout.summary() : null
      this.#change(endStep(context, action, decision))
    } else await this.#showStep(context, action)
    if (action.action === 'finish' && emit(this, 'plazo-finish', { return_url: action.return_url }))
      location.replace(action.return_url)
  }

  async #showStep(context: Context, action: Exclude<Action, { action: 'finish' }>): Promise<void> {
    switch (action.action) {
      case 'show_identification_form':
        return this.#showPerson('errors' in action ? action.errors : {}, false)
      case 'require_validate_otp':
        return this.#showCode(context)
      case 'require_payment':
        return this.#change(paymentStep(context, action))
      case 'alt_payment':
        // The shopper chooses another product now.
        this.#root.querySelector('.cart .product')?.remove()
        return this.#showAlternative(context, action)
      case 'wait_for_id_verification':
        return this.#change(
          (action.status === 'STARTED' || action.status === 'ERROR' ? verifyStep : waitStep)(
            context,
            action,
          ),
        )
      case 'wait_for_screening':
      case 'wait_for_confirmation':
      case 'wait_for_on_hold':
        return this.#change(waitStep(context, action))
    }
  }

  #showPerson(errors: Errors, isReloaded: boolean): void {
    if (this.#context === null) return
    // Kept with all that was typed into it.
    this.#person ??= personStep(this.#context)
    this.#person.showReason(isReloaded)
    this.#change(this.#person)
    this.#person.showErrors(errors)
  }

  /** Each code has a step of its own, with its own pause until the next. */
  async #showCode(context: Context): Promise<void> {
    const summary = await context.checkout.summary().catch(() => null)
    this.#change(codeStep(context, summary?.code ?? null))
  }

  /** The action has the plans on offer, but not their dates. */
  async #showAlternative(context: Context, action: ActionOf<'alt_payment'>): Promise<void> {
    const { credit_agreements: offered, forced_credit_agreement_index: forced } = action
    const expected = forced === null ? offered : offered.slice(forced, forced + 1)
    const products = [...new Set(expected.map(({ product }) => product))]
    const summaries = await Promise.all(
      products.map((product) => context.checkout.summary(product)),
    )
    const inFull = summaries.flatMap(({ plans }) => plans)
    const plans = expected.flatMap(({ product, instalment_count }): readonly PlanInFull[] => {
      const match = inFull.find(
        (each) => each.product === product && each.instalment_count === instalment_count,
      )
      return match === undefined ? [] : [{ ...match, default: false }]
    })
    this.#change(alternativeStep(context, action, plans, summaries[0] ?? context.summary))
  }
}

customElements.define('plazo-checkout', PlazoCheckout)
