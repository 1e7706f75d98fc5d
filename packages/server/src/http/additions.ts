// Routes and pages that every server has ask here for additions, so that they know no extension.

import type { LegalSettings } from '../settings/legal-settings.ts'
import type { Markup } from './page/page.ts'

export type Additions = {
  readonly placeholders?: Placeholders
  readonly frame?: PageFrame
  readonly machine?: MachineTools
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

/** Additions to the pages of the statechart. The merchant of an order may look at it too. */
type MachineTools = {
  /** Placed before `main`. */
  readonly lead: (root: string) => Markup
  /** The path of a style sheet. */
  readonly style: string
  /** Where the ways to states can be run, from the server's base URL. */
  readonly runs: string
}
