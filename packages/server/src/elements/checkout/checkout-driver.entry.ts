// A shop's own frontend drives a checkout with this module, and so does <plazo-checkout>: it asks
// the two endpoints, tries again where that helps, and calls back once per action. It shows nothing
// and stores nothing. docs/hosted-form.md.
import type {
  CheckoutMetadata,
  CheckoutSummary,
  IdentificationAction,
  WaitAction,
} from '@plazo/core/protocol'

type Answer = IdentificationAction | WaitAction

export type Action =
  | Exclude<
      Answer,
      // The identification endpoint answers these without what a frontend needs. The wait endpoint
      // is asked before the callback.
      { readonly action: 'alt_payment' | 'show_on_hold' | 'resume_after_screening' }
    >
  | Extract<WaitAction, { readonly action: 'alt_payment' | 'show_on_hold' }>

export type ActionOf<Name extends Action['action']> = Extract<Action, { readonly action: Name }>

/**
 * `offline`: no answer comes; `slow`: none has come yet; `busy`: the service asks to wait so many
 * seconds. All three are tried again. `refused`: the submission was not accepted and is not tried
 * again.
 */
export type Trouble =
  | { readonly kind: 'offline' | 'slow' | 'refused' }
  | { readonly kind: 'busy'; readonly seconds: number }

/** The fields of interface §2.1, without `validation_code`. */
type Submission = Readonly<Record<string, unknown>>
export type ChosenPlan = { readonly product: string; readonly instalment_count: number }

type CheckoutOptions = {
  /** The uuid of the order. */
  readonly order: string
  /** Default: the server that this module came from. */
  readonly baseUrl?: string
  /**
   * Called once per action. `needsDetails`: the page was reloaded since the shopper typed, so show
   * the form again; the action tells what the checkout asks for after that.
   */
  readonly onAction: (action: Action, situation: { readonly needsDetails: boolean }) => void
  /** Called when something delays or refuses a request, and with null once that is over. */
  readonly onTrouble?: (trouble: Trouble | null) => void
}

export type Checkout = ReturnType<typeof startCheckout>

// A wait is often short, so its first polls come soon.
const FIRST_POLL = 250
const POLL = 1_500
const SLOW_POLL = 5_000
/** After so long in one wait, polls become slow. */
const LONG_WAIT = 60_000
const SLOW_ANSWER = 3_000
const TIMEOUT = 30_000
const PAUSE_MAX = 15_000

const ENDS: ReadonlySet<string> = new Set([
  'finish',
  'show_conflict',
  'show_on_hold',
  'reject',
  'show_error',
])

/** True: the same request may be answered later. No status: no answer came. */
const isTemporary = (status = 500): boolean => status === 429 || status >= 500

/** Begins with asking what is next. */
export const startCheckout = ({
  order,
  baseUrl = new URL('..', import.meta.url).href,
  onAction,
  onTrouble = () => {},
}: CheckoutOptions) => {
  const root = `${baseUrl.replace(/\/$/, '')}/api/v1/checkout/${encodeURIComponent(order)}`
  // Kept only here, to send them again when the checkout asks for that.
  let details: Submission | null = null
  // A newer request makes the answers to older ones worthless.
  let turn = 0
  let isSending = false
  const ending = new AbortController()
  let lastKey = ''
  let waitsFor = ''
  let waitsSince = 0
  let timer: number | undefined
  let wake = (): void => {}

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
      setTimeout(resolve, millis)
    })

  const schedule = ({ action }: Answer): void => {
    if (action !== waitsFor) waitsSince = performance.now()
    waitsFor = action
    const waited = performance.now() - waitsSince
    const pace = waited > LONG_WAIT ? SLOW_POLL : Math.min(POLL, Math.max(FIRST_POLL, waited))
    if (action.startsWith('wait_for_')) timer = setTimeout(poll, pace)
    if (action === 'require_payment') timer = setTimeout(poll, SLOW_POLL)
  }

  /** `isNews`: an answer to a submission is called back even if it is the same again. */
  const receive = (action: Answer, isNews: boolean): void => {
    // Only wait gives the plans and the way back.
    if (
      (action.action === 'alt_payment' || action.action === 'show_on_hold') &&
      Object.keys(action).length === 1
    )
      return void poll()
    if (action.action === 'resume_after_screening') return void sendAgain()
    schedule(action)
    // A countdown alone is no news.
    const isCounting =
      action.action === 'wait_for_screening' || action.action === 'wait_for_confirmation'
    const key = isCounting ? action.action : JSON.stringify(action)
    if (!isNews && key === lastKey) return
    // Wrong fields change nothing: the checkout is where it was.
    if (!('errors' in action && action.action === 'show_identification_form')) lastKey = key
    if (ENDS.has(action.action)) stop()
    const needsDetails = details === null && action.action === 'require_validate_otp'
    onAction(action as Action, { needsDetails }) // The other shapes were dealt with above.
  }

  const ask = async (path: string, isNews: boolean, init: RequestInit = {}): Promise<void> => {
    clearTimeout(timer)
    const thisTurn = ++turn
    for (let tries = 1; thisTurn === turn; tries++) {
      const slow = setTimeout(() => thisTurn === turn && onTrouble({ kind: 'slow' }), SLOW_ANSWER)
      // Safari before 16 and Chrome before 103 have no AbortSignal.timeout.
      const request = new AbortController()
      const timeout = setTimeout(() => request.abort(), TIMEOUT)
      let answer: Response | null = null
      let action: Answer | null = null
      try {
        answer = await fetch(root + path, {
          credentials: 'omit',
          signal: request.signal,
          ...init,
        })
        if (answer.ok) action = await answer.json()
      } catch {
        answer = null
      }
      clearTimeout(slow)
      clearTimeout(timeout)
      if (thisTurn !== turn) return
      if (action || !isTemporary(answer?.status)) {
        isSending = false
        onTrouble(action ? null : { kind: 'refused' })
        if (action) receive(action, isNews)
        return
      }
      const seconds = Number(answer?.headers.get('retry-after')) || tries
      onTrouble(answer ? { kind: 'busy', seconds } : { kind: 'offline' })
      await pause(answer ? 1_000 * seconds : Math.min(PAUSE_MAX, 1_000 * 2 ** tries))
    }
  }

  const poll = (): Promise<void> => ask('/wait', false)

  const send = async (extra: Submission): Promise<void> => {
    if (isSending || ending.signal.aborted) return
    isSending = true
    await ask('/identification', true, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...details, ...extra }),
    })
  }

  // Without the shopper's data, they are asked for it.
  const sendAgain = async (changes: Submission = {}): Promise<void> => {
    if (details === null) {
      lastKey = ''
      onAction({ action: 'show_identification_form' }, { needsDetails: true })
      return
    }
    details = { ...details, ...changes }
    await send({})
  }

  const refresh = (): void => {
    if (!isSending && !ending.signal.aborted) poll()
  }

  // Another tab may have gone on meanwhile, or the network may be back.
  const lookAgain = (): void => {
    wake()
    if (document.visibilityState === 'visible' && lastKey !== '') refresh()
  }
  for (const name of ['visibilitychange', 'online', 'pageshow'])
    addEventListener(name, lookAgain, { signal: ending.signal })

  const stop = (): void => {
    ending.abort()
    turn++
    clearTimeout(timer)
  }

  const read = async <A>(path: string, product: string | null = null): Promise<A> => {
    const query = product === null ? '' : `?product_code=${encodeURIComponent(product)}`
    for (let tries = 1; ; tries++) {
      // An error has no status.
      const answer = await fetch(`${root}/${path}${query}`, { credentials: 'omit' }).catch(
        (error) => error,
      )
      if (answer.ok) return answer.json()
      // The hosted page says after five seconds that nothing has started.
      if (tries === 3 || !isTemporary(answer.status)) throw answer
      await pause(1_000 * tries)
    }
  }

  poll()
  return {
    /**
     * Asks what is next, for example after the card form has ended. Only what changed is called back.
     */
    refresh,
    /**
     * Sends the shopper's data. Resolves once an answer is called back, or the submission is refused.
     */
    submit: (form: Submission): Promise<void> => {
      details = form
      return send({})
    },
    submitCode: (code: string): Promise<void> => send({ validation_code: code }),
    /** Sends the same data again: it sends another code, or opens another ID session. */
    submitAgain: (): Promise<void> => sendAgain(),
    /** Sends the same data with another plan. */
    choosePlan: (plan: ChosenPlan): Promise<void> => sendAgain({ credit_agreement: plan }),
    /** `product`: a code; default: the order's own product. */
    summary: (product?: string | null) => read<CheckoutSummary>('summary', product),
    metadata: (product?: string | null) => read<CheckoutMetadata>('metadata', product),
    /** Ends everything: nothing is called back afterwards. */
    stop,
  }
}
