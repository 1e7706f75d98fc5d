// Says in a shopper's and a developer's words what each fault drill does. The front page offers
// these, and the banner names them. It has no DOM, so the server uses it too.
import type { Fault, ShopDrill, StandInDrill } from './protocol.ts'

/**
 * `title` completes "The shop answers …", or names what the shop gets. `outcome` is one sentence.
 */
type FaultText = { readonly title: string; readonly outcome: string }

export const STAND_IN_TEXTS: { readonly [fault in StandInDrill]: FaultText } = {
  slow: {
    title: '200 after 10 seconds',
    outcome: 'The IPN is accepted, but only after ten seconds.',
  },
  hang: {
    title: 'no answer',
    outcome: 'The IPN gets no answer within 30 seconds. It is sent again after a minute.',
  },
  error_then_ok: {
    title: '500, then 200',
    outcome: 'The IPN fails once. It is accepted when it is sent again.',
  },
  not_json: {
    title: 'a web page',
    outcome:
      'The IPN is answered with 200 and a web page. Only the status counts, so it is accepted.',
  },
  conflict: {
    title: '409 Conflict',
    outcome: 'The shop refuses the order: it ends as conflicted.',
  },
  gone: {
    title: '410 Gone',
    outcome: 'The shop no longer knows the order: it ends as conflicted.',
  },
  redirect: {
    title: '302 Found',
    outcome: 'The IPN is redirected, which plazo never follows. It is sent again after a minute.',
  },
}

export const SHOP_TEXTS: { readonly [fault in ShopDrill]: FaultText } = {
  duplicate: {
    title: 'the IPN twice',
    outcome: 'The shop gets the same IPN twice, and must act on it once.',
  },
  delay: { title: 'the IPN late', outcome: 'The IPN reaches the shop five seconds late.' },
  reorder: {
    title: 'webhooks out of order',
    outcome: 'The next webhook waits until another one has passed it.',
  },
  late_cancel: {
    title: 'a late cancel',
    outcome: 'After the accepted IPN, the shop is asked to cancel the order.',
  },
  wrong_signature: {
    title: 'a wrong signature',
    outcome: 'The IPN is signed wrongly, and the shop must refuse it.',
  },
}

export const faultTitle = (fault: Fault): string =>
  ({ ...STAND_IN_TEXTS, ...SHOP_TEXTS })[fault].title
