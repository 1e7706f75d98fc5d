// The pages inside the card form's iframe report to the page around it, by messages of JSON text. Contract §8, Card form.
import type { CardMessage } from '@plazo/core'

/** The page's form and its status line, which every page in the frame has. */
export const form = document.querySelector('form') as HTMLFormElement
export const status = document.querySelector('[role=status]') as HTMLElement
export const service = form.dataset.service

type Message = CardMessage & { readonly error?: string; readonly src?: string }

export const send = (message: object): void => parent.postMessage(JSON.stringify(message), '*')

/** `name`: without the service's prefix. */
export const report = (name: string, rest: object = {}): void => send({ action: `${service}.${name}`, ...rest })

/** Posts to this page's own address. */
export const post = async (body: URLSearchParams): Promise<Message> => {
  try {
    const answer = await fetch(location.href, { method: 'POST', body })
    if (answer.ok) return await answer.json()
  } catch {}
  return { action: `${service}.payment_failed`, error: 'The payment could not be made.' }
}

export const showEnd = ({ error }: Message): void => {
  status.textContent = error ?? 'Paid.'
  form.hidden = error === undefined || form.hidden
  if (form.hidden) status.focus()
}

// When the page grows or shrinks, it reports the height of its body.
new ResizeObserver(() =>
  report('resized', { height: Math.ceil(document.body.getBoundingClientRect().height) }),
).observe(document.body, { box: 'border-box' })
