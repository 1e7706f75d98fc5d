// A shop's page includes this script: it mounts the card form's iframe and turns its messages into callbacks. Contract §8,
// Card form.

/** The name of the global, and the prefix of the messages. The server fills it in. */
declare const SERVICE: string

/** All callbacks are optional. */
type Callbacks = {
  readonly formLoaded?: () => void
  readonly invalidForm?: () => void
  readonly cardDataFulfilled?: () => void
  readonly paymentSubmitted?: () => void
  readonly paymentSuccessful?: () => void
  readonly paymentFailed?: (rest: { readonly error: string }) => void
  readonly authentication?: (rest: { readonly src: string }) => void
  readonly resized?: (rest: { readonly height: number }) => void
}

export type CardForm = { readonly submit: () => void; readonly remove: () => void }

const CALLBACK_OF: ReadonlyMap<string, keyof Callbacks> = new Map([
  [`${SERVICE}.form_loaded`, 'formLoaded'],
  [`${SERVICE}.invalid_form`, 'invalidForm'],
  [`${SERVICE}.card_data_fulfilled`, 'cardDataFulfilled'],
  [`${SERVICE}.payment_submitted`, 'paymentSubmitted'],
  [`${SERVICE}.payment_successful`, 'paymentSuccessful'],
  [`${SERVICE}.payment_failed`, 'paymentFailed'],
  [`${SERVICE}.3ds_authentication`, 'authentication'],
  [`${SERVICE}.resized`, 'resized'],
])

/** Mounts the card form in the element. */
const cardForm = (element: Element, iframeUrl: string, callbacks: Callbacks = {}): CardForm => {
  const iframe = document.createElement('iframe')
  const { origin } = new URL(iframeUrl, location.href)
  const receive = ({ source, origin: from, data }: MessageEvent): void => {
    if (source !== iframe.contentWindow || from !== origin) return
    let message: unknown
    try {
      message = JSON.parse(data)
    } catch {
      return
    }
    // The messages are those of contract §8; their sender is the form itself.
    const { action = '', ...rest } = (message ?? {}) as { action?: string; error: string; src: string; height: number }
    const name = CALLBACK_OF.get(action)
    if (name === 'resized') iframe.style.height = `${rest.height}px`
    if (name !== undefined) callbacks[name]?.(rest)
  }
  addEventListener('message', receive)
  Object.assign(iframe, { src: iframeUrl, title: 'Card payment' })
  iframe.style.cssText = 'border: 0; width: 100%'
  element.append(iframe)
  return {
    submit: () => iframe.contentWindow?.postMessage(JSON.stringify({ action: `${SERVICE}.iframe_submit` }), origin),
    remove: () => {
      removeEventListener('message', receive)
      iframe.remove()
    },
  }
}

export type CardFormSdk = { readonly cardForm: typeof cardForm }

const globals = window as unknown as Record<string, object> // The service chooses the global's name.
globals[SERVICE] = { ...globals[SERVICE], cardForm } satisfies CardFormSdk
