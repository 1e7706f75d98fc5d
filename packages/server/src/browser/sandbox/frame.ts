// The pages inside the card form's iframe report to the page around it, by messages of JSON text. Contract §8, Card form.
import type { CardMessage } from '@plazo/core'
import { SANDBOX_TEXTS } from './texts.ts'

/** The page's form and its status line, which every page in the frame has. */
export const form = document.querySelector('form') as HTMLFormElement
const status = document.querySelector('[role=status]') as HTMLElement
export const service = form.dataset.service
export const texts = SANDBOX_TEXTS[document.documentElement.lang === 'es' ? 'es' : 'en']

/** The script is ready to hear the buttons. */
export const enableButtons = (): void => {
  for (const button of form.querySelectorAll('button')) button.disabled = false
}

type Message = CardMessage & { readonly error?: string; readonly src?: string }

export const send = (message: object): void => parent.postMessage(JSON.stringify(message), '*')

/** `name`: without the service's prefix. */
export const report = (name: string, rest: object = {}): void => send({ action: `${service}.${name}`, ...rest })

export const say = (text: string, isWrong = false): void => {
  status.textContent = text
  status.classList.toggle('is-wrong', isWrong)
}

/** In place of an answer, if the server does not accept the post. */
const UNREACHABLE: Message = { action: `${service}.payment_failed`, error: 'The payment could not be made.' }

/** Posts to this page's own address. */
export const post = async (body: URLSearchParams): Promise<Message> => {
  try {
    const answer = await fetch(location.href, { method: 'POST', body })
    if (answer.ok) return await answer.json()
  } catch {}
  return UNREACHABLE
}

/** `message`: as `post` returned it. Its error is in English, for the shop's program. The shopper reads it in their language. */
export const showEnd = (message: Message): void => {
  const hasFailed = message.error !== undefined
  form.hidden ||= !hasFailed
  const { paid, failed, declined } = texts.card
  say(hasFailed ? (message === UNREACHABLE ? failed : declined) : paid, hasFailed)
  if (form.hidden) status.focus()
}

// When the page grows or shrinks, it reports the height of its body.
new ResizeObserver(() =>
  report('resized', { height: Math.ceil(document.body.getBoundingClientRect().height) }),
).observe(document.body, { box: 'border-box' })
