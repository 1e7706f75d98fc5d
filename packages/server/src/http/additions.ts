// Routes and pages that every server has ask here for additions, so that they know no extension.
import type { Job, Unavailable } from '@plazo/core/ports'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LegalSettings } from '../settings/legal-settings.ts'
import type { Markup } from './page/page.ts'

export type Additions = {
  readonly attempts: AttemptNotes
  readonly placeholders?: Placeholders
  readonly frame?: PageFrame
}

/** The faults of a delivery's attempts that were intended, by the attempt's number. */
export type AttemptFaults = (
  deliveryId: string,
  attempts: readonly { readonly n: number; readonly startedAt: number }[],
) => ReadonlyMap<number, string>

/** Facts about attempts that only the extension knows, such as an intended fault. */
type AttemptNotes = {
  /** Called for each job that was run. True: a failure was intended, so nobody is alerted. */
  readonly complete: (job: Job) => boolean
  /** True: the merchant may be slow on purpose. */
  readonly explainsSlowness: (merchantRef: string) => boolean
  /** Which attempts of the merchant's deliveries had a fault on purpose. */
  readonly faultsOf: (merchantRef: string) => TaskEither<Unavailable, AttemptFaults>
}

/** Placeholders for the texts and accounts that an operator would set. */
type Placeholders = {
  /** For the lender's settings that are missing. */
  readonly legal: LegalSettings
  readonly samples: SampleAccounts
}

/** The shop and the accounts in the samples of the reference. */
export type SampleAccounts = {
  readonly shop: string
  /** `username:password` of a merchant as an argument of a shell. */
  readonly merchant: string
  /** The operator's password, in double quotes of a shell. */
  readonly operatorPassword: string
}

/** Additions to the pages that every server has. */
export type PageFrame = {
  /** Placed before `main`. `root`: the way from the page to the server's base URL. */
  readonly bar: (page: 'docs' | null, root: string) => Markup
  /** Placed beside the name in the console's bar: it leads to the front page. */
  readonly badge: (root: string) => Markup
  /** The paths of style sheets: of the bar alone, and of the page of an error. */
  readonly barStyle: string
  readonly errorStyle: string
  /** The way on from an error. */
  readonly home: (root: string) => Markup
}
