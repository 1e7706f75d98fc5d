// Mounts the card form's iframe and turns its messages into callbacks. The hosted checkout and a
// shop's own page use the same code. Contract §11, Card form.

/** `error`: of a failure; `src`: of an authentication; `height`: of a new size. */
type Rest = { readonly error: string; readonly src: string; readonly height: number }
type Message = Rest & { readonly action?: string }

/** By the end of a message's action, which begins with the service's name. */
const CALLBACK_NAMES = {
  form_loaded: 'formLoaded',
  invalid_form: 'invalidForm',
  card_data_fulfilled: 'cardDataFulfilled',
  payment_submitted: 'paymentSubmitted',
  payment_successful: 'paymentSuccessful',
  payment_failed: 'paymentFailed',
  '3ds_authentication': 'authentication',
  resized: 'resized',
} as const
type CallbackName = (typeof CALLBACK_NAMES)[keyof typeof CALLBACK_NAMES]
const CALLBACK_OF: ReadonlyMap<string, CallbackName> = new Map(Object.entries(CALLBACK_NAMES))

/** Mounts the card form in the element. `title`: the frame's name for screen readers. */
export const mountCardForm = (
  element: Element,
  iframeUrl: string,
  callbacks: { readonly [name in CallbackName]?: (rest: Rest) => void } = {},
  title = 'Card payment',
) => {
  const iframe = document.createElement('iframe')
  const { origin } = new URL(iframeUrl, location.href)
  // The form says its service's name with its first message. Before that, it hears nothing.
  let service = ''
  const receive = ({ source, origin: from, data }: MessageEvent): void => {
    if (source !== iframe.contentWindow || from !== origin) return
    let message: Message | null
    try {
      message = JSON.parse(data)
    } catch {
      return
    }
    // Other scripts in the frame, such as a browser's extension, may post anything. With an action, a
    // message is one of contract §11: its sender is the form itself.
    const { action = '', ...rest } = message ?? ({} as Message)
    const end = action.lastIndexOf('.')
    const name = CALLBACK_OF.get(action.slice(end + 1))
    if (name === undefined) return
    service = action.slice(0, end)
    if (name === 'resized') iframe.style.height = `${rest.height}px`
    callbacks[name]?.(rest)
  }
  addEventListener('message', receive)
  Object.assign(iframe, { src: iframeUrl, title })
  iframe.style.cssText = 'border: 0; width: 100%; display: block'
  element.append(iframe)
  return {
    submit: () =>
      iframe.contentWindow?.postMessage(
        JSON.stringify({ action: `${service}.iframe_submit` }),
        origin,
      ),
    remove: () => {
      removeEventListener('message', receive)
      iframe.remove()
    },
  }
}
