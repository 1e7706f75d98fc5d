// Who acts next on an order. Every driver of an order over HTTP asks here: the conformance suite,
// the shoppers of simulation, cluster and isolation runs, and tests that lead an order somewhere.
// They differ in how each participant acts, for example with whims, or over a network that loses
// answers.

type Answer = Readonly<Record<string, unknown>>

/** What each participant does at their turn. Resolves to false if they do nothing. */
export type Participants = {
  /** The shopper fills in the form, or sends it again after the screening. */
  readonly submitForm: () => Promise<unknown>
  readonly submitCode: () => Promise<unknown>
  /** The shopper takes the product that is left. */
  readonly takeAlternative: () => Promise<unknown>
  readonly awaitScreening: () => Promise<unknown>
  readonly verifyIdentity: (answer: Answer) => Promise<unknown>
  readonly pay: (answer: Answer) => Promise<unknown>
  /** The merchant confirms by `PUT`. */
  readonly confirm: (state: 'confirmed' | 'on_hold') => Promise<unknown>
  /** An operator decides. */
  readonly decide: () => Promise<unknown>
}

/** Lets the participant act whose turn it is at this answer of wait. False: nobody does anything. */
export const takeTurn = async (participants: Participants, answer: Answer): Promise<boolean> =>
  (await turnOf(participants, answer)) !== false

const turnOf = (participants: Participants, answer: Answer): Promise<unknown> => {
  switch (answer.action) {
    case 'show_identification_form':
    case 'resume_after_screening':
      return participants.submitForm()
    case 'require_validate_otp':
      return participants.submitCode()
    case 'alt_payment':
      return participants.takeAlternative()
    case 'wait_for_screening':
      return participants.awaitScreening()
    case 'wait_for_id_verification':
      return participants.verifyIdentity(answer)
    case 'require_payment':
      return participants.pay(answer)
    case 'wait_for_confirmation':
      return participants.confirm('confirmed')
    case 'wait_for_on_hold':
      return participants.confirm('on_hold')
    case 'show_on_hold':
      return participants.decide()
    default:
      return Promise.resolve(false)
  }
}

/** The agreement that an alternative offers to every shopper. */
export const ALTERNATIVE = { credit_agreement: { product: 'i1', instalment_count: 1 } }
