// The step of the code from the SMS. If nothing is paid by card afterwards, its button is the last
// click, which binds. Contract §4, OTP and Law.
import type { CheckoutSummary } from '@plazo/core/protocol'
import {
  fillTemplate,
  make,
  makeButton,
  setAttributes,
  withoutSeparators,
} from '../../http/page/script/dom.ts'
import {
  backLink,
  type Context,
  clockTime,
  headingOf,
  makeForm,
  type Step,
  showAndFocus,
  showProgress,
} from './context.ts'
import { bindingNotice, isLastClick } from './legal.ts'

/** Each code has a step of its own, with its own pause until the next. */
export const codeStep = async (context: Context): Promise<Step> => {
  const { texts, checkout, trouble, plan } = context
  const { code } = texts
  /** The phone, and when another code may be sent; null if the summary cannot be read. */
  const readSummary = async () => (await checkout.summary().catch(() => null))?.code ?? null
  const codeSummary = await readSummary()
  const isLast = plan !== null && isLastClick(plan)
  const heading = headingOf(context, code.title)
  const wrong = make('p.wrong', { id: 'code-wrong', role: 'alert' })
  const input = make('input.code', {
    id: 'code',
    name: 'validation_code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    required: true,
    'aria-describedby': 'code-text code-wrong code-tries',
    // The error was about a code that the shopper has changed meanwhile.
    oninput: () => {
      if (/^\d{5}$/.test(readCode())) markWrong('')
    },
  })
  const readCode = () => withoutSeparators(input.value)
  const markWrong = (text: string) => {
    wrong.textContent = text
    setAttributes(input, { 'aria-invalid': text !== '' && 'true' })
  }
  const tries = make('p.quiet', { id: 'code-tries' })
  const showTries = (answer: CheckoutSummary['code']): void => {
    if (answer === null) return
    const count = answer.tries_left
    tries.textContent = count === 1 ? code.tries.one : fillTemplate(code.tries.many, { count })
    tries.hidden = count === 0
  }
  showTries(codeSummary)
  const send = make('button', isLast ? plan.order_button : code.send)
  const sendCode = () => {
    markWrong('')
    return checkout.submitCode(readCode())
  }
  const isLastCode = codeSummary?.can_be_sent_again === false
  const sendAgain = () => void showProgress(againButton, code.sendingAgain, checkout.submitAgain)
  const againButton = makeButton(code.again, sendAgain, { class: 'other', hidden: isLastCode })
  // Without a phone, the space before it goes too.
  const text = fillTemplate(code.text, { phone: codeSummary?.phone ?? '' }).replace(/ \./, '.')
  const form = makeForm(send, code.sending, sendCode, [
    make('p', { id: 'code-text' }, text),
    make('div.field', make('label', { for: 'code' }, code.label), input, wrong, tries),
    bindingNotice(context, plan, isLast ? context.summary.legal : null),
    make('div.actions', send, againButton, trouble),
    isLastCode && make('p.quiet', code.noMore),
    make('p', makeButton(code.change, context.showDetails, { class: 'link' })),
    isLastCode && backLink(context, 'way'),
  ])

  let seconds = codeSummary?.next_in_seconds ?? 0
  const showPause = (): void => {
    if (againButton.hasAttribute('aria-busy')) return
    againButton.disabled = seconds > 0
    againButton.textContent =
      seconds > 0 ? fillTemplate(code.againIn, { time: clockTime(seconds) }) : code.again
  }
  showPause()
  const timer = setInterval(() => {
    if (seconds === 0) return
    seconds--
    showPause()
  }, 1_000)

  const showWrong = async (): Promise<void> => {
    input.value = ''
    const answer = await readSummary()
    showTries(answer)
    const voidText = answer?.can_be_sent_again ? code.void : code.ended
    markWrong(answer?.tries_left === 0 ? voidText : code.wrong)
    showAndFocus(input)
  }

  return {
    heading,
    content: [form],
    focus: input,
    update: (next) => {
      const isWrong = 'errors' in next && 'validation_code' in next.errors
      if (isWrong) void showWrong()
      return isWrong
    },
    end: () => clearInterval(timer),
  }
}
