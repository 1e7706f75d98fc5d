// Lets a developer choose how the demo shop answers an IPN, on the front page and on the page of
// webhooks, so that they see what each answer does to an order.
import type { Markup } from '@plazo/server/internal'
import { html } from 'hono/html'

/** By the value of `answer` in the URL. `title` completes "The shop answers the IPN with …". */
const ANSWERS: { readonly [answer: string]: { readonly title: string; readonly outcome: string } } =
  {
    slow: {
      title: '200 after 10 seconds',
      outcome: 'The IPN is accepted, but only after ten seconds.',
    },
    silent: {
      title: 'no answer',
      outcome: 'The IPN gets no answer within 30 seconds. It is sent again after a minute.',
    },
    'error-then-ok': {
      title: '500, then 200',
      outcome: 'The IPN fails once. It is accepted when it is sent again.',
    },
    '500': {
      title: '500 Internal Server Error',
      outcome: 'The IPN fails, and is sent again until the order expires.',
    },
    conflict: {
      title: '409 Conflict',
      outcome: 'The shop refuses the order: it ends as conflicted.',
    },
    redirect: {
      title: '302 Found',
      outcome:
        'The IPN is redirected, which plazo never follows. It is sent again after ten seconds.',
    },
    reset: {
      title: 'a broken connection',
      outcome: 'The connection breaks before an answer. The IPN is sent again after ten seconds.',
    },
    dripping: {
      title: '200 and an endless body',
      outcome: 'Only the status counts for an IPN, so it is accepted.',
    },
  }

/** A choice named `answer`. `chosen`: the empty text is the usual answer. */
export const answerChoice = (shopUrl: string, chosen = ''): Markup =>
  html`<select id="answers" name="answer" data-shop="${shopUrl}">
<option value="" data-outcome="">200 as usual: it accepts them</option>
${Object.entries(ANSWERS).map(([answer, { title, outcome }]) => html`<option value="${answer}" data-outcome="${outcome}"${answer === chosen && html` selected`}>${title}</option>`)}
</select>`
