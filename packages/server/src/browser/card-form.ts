// A shop's page includes this small script: it mounts the card form's iframe and turns its messages into callbacks. Contract
// §8, Card form.

/** `service` gives the global's name and the messages' prefix. */
export const cardFormSdk = (service: string): string => `
// ${service}.cardForm(element, iframeUrl, callbacks) mounts the card form in the element and gives { submit, remove }.
// Callbacks, all optional: formLoaded(), invalidForm(), cardDataFulfilled(), paymentSubmitted(), paymentSuccessful(),
// paymentFailed({ error }), authentication({ src }), resized({ height }).
(() => {
  const service = ${JSON.stringify(service)}
  const names = {
    form_loaded: 'formLoaded',
    invalid_form: 'invalidForm',
    card_data_fulfilled: 'cardDataFulfilled',
    payment_submitted: 'paymentSubmitted',
    payment_successful: 'paymentSuccessful',
    payment_failed: 'paymentFailed',
    '3ds_authentication': 'authentication',
    resized: 'resized',
  }
  const cardForm = (element, iframeUrl, callbacks = {}) => {
    const iframe = document.createElement('iframe')
    const origin = new URL(iframeUrl, location.href).origin
    const hear = ({ source, origin: from, data }) => {
      if (source !== iframe.contentWindow || from !== origin) return
      let message
      try {
        message = JSON.parse(data)
      } catch {
        return
      }
      const { action = '', ...rest } = message ?? {}
      const name = action.startsWith(service + '.') ? names[action.slice(service.length + 1)] : undefined
      if (name === 'resized') iframe.style.height = rest.height + 'px'
      if (name !== undefined) callbacks[name]?.(rest)
    }
    addEventListener('message', hear)
    Object.assign(iframe, { src: iframeUrl, title: 'Card payment' })
    iframe.style.cssText = 'border: 0; width: 100%'
    element.append(iframe)
    return {
      submit: () => iframe.contentWindow.postMessage(JSON.stringify({ action: service + '.iframe_submit' }), origin),
      remove: () => {
        removeEventListener('message', hear)
        iframe.remove()
      },
    }
  }
  window[service] = { ...window[service], cardForm }
})()
`
