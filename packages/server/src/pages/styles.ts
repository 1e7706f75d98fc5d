// The look of all pages in one place: the rules that every page has, and those of one kind of page.
import { CONTROLS, tokens } from '../browser/pages/design.ts'

export const BASE_STYLE = `
  ${tokens(':root')}
  :root { --paper: var(--card); --rule: var(--edge); --quiet: var(--soft); --shade: var(--ground) }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--paper); color: var(--ink); overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
  p { margin: .25rem 0 }
  a { color: var(--accent) }
  code, pre { font-family: ui-monospace, monospace; font-size: .9375em }
  .quiet { color: var(--quiet) }
  input:not([type=checkbox], [type=radio]) { display: block; inline-size: 100%; min-block-size: 2.75rem; font: inherit; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; background: none; color: inherit }
  input[type=checkbox], input[type=radio] { inline-size: 1.25rem; block-size: 1.25rem; flex: none; margin: 0; accent-color: var(--accent) }
  button { font: inherit; min-block-size: 2.75rem; padding: .5rem 1.25rem; margin: .5rem .5rem 0 0; border: 2px solid var(--accent); border-radius: .5rem; background: none; color: var(--accent); cursor: pointer }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  [role=alert]:not(:empty) { border-inline-start: .25rem solid var(--wrong); padding: .25rem 1rem; margin: 0 0 1rem }
  [hidden] { display: none !important }
`

/** A page around <plazo-checkout>, and what it shows until the element is there. */
export const CHECKOUT_PAGE_STYLE = `
  ${CONTROLS}
  body { max-width: 66rem; padding: 1rem; background: var(--ground) }
  main { min-block-size: 80vh }
  p { margin: .25rem 0 .75rem }
  @media (min-width: 60rem) { body { padding: 2.5rem 1.5rem } }
`

/** Pages for a shopper: the privacy policy, and what a sandbox shows in place of a provider. */
export const SHOPPER_STYLE = `
  ${CONTROLS}
  body { max-width: 36rem; background: var(--ground) }
  main { background: var(--card); border: 1px solid var(--edge); border-radius: .875rem; padding: 1.5rem; box-shadow: var(--shadow) }
  h1 { margin-block-end: .5rem }
  h2 { font-size: 1.125rem; margin-block: 1.25rem .25rem }
  form { display: grid; gap: 1rem }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-block-start: 1rem }
  .note { margin-block-end: 1rem; color: var(--soft) }
  @media (max-width: 30rem) { button { inline-size: 100% } }
  @media (min-width: 60rem) { body { padding-block: 3rem } }
`

/** The pages in the frame of a payment. The page around it has the card, so they have none. The padding is for focus rings. */
export const FRAMED_STYLE = `
  ${CONTROLS}
  body { max-width: none; padding: .375rem; background: var(--card) }
  h1 { font-size: 1.125rem; margin-block-end: .25rem }
  form { display: grid; gap: 1rem; max-inline-size: 26rem }
  .pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; align-items: start }
  .saved-card { font-weight: 600 }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem }
  .note { margin-block-end: 1rem; color: var(--soft) }
  [role=status]:not(:empty) { margin-block-start: .75rem; font-weight: 600 }
  [role=status]:focus { outline: none }
  .is-wrong { color: var(--wrong) }
  @media (max-width: 24rem) { button { inline-size: 100% } }
`

export const CONSOLE_STYLE = `
  h2 { font-size: 1.125rem; margin: 2rem 0 .5rem }
  h3 { font-size: 1rem; margin: 0 }
  dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.5rem; margin: 0 }
  dt, li time { color: var(--quiet) }
  dd { margin: 0 }
  ol { list-style: none; margin: 0; padding: 0 }
  li { display: grid; grid-template-columns: 13rem 1fr; gap: 0 1.5rem; padding: .5rem 0; border-top: 1px solid var(--rule) }
  li p { margin: 0 }
  form { border: 1px solid var(--rule); border-radius: .5rem; padding: 1rem }
  .decisions { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 1rem }
  label { display: flex; gap: .5rem; align-items: center; min-block-size: 2.75rem }
  .final button { border-color: var(--wrong); color: var(--wrong) }
  @media (max-width: 40rem) {
    dl { grid-template-columns: 1fr; gap: 0 }
    dd { margin-bottom: .5rem }
    li { grid-template-columns: 1fr }
    button { inline-size: 100% }
  }
`

export const REFERENCE_STYLE = `
  html { scroll-padding-top: 1rem }
  h1 { font-size: 1.75rem }
  h2 { font-size: 1.375rem; margin: 3rem 0 .5rem; border-bottom: 2px solid var(--rule) }
  h3 { font-size: 1.125rem; margin: 0 }
  h4 { font-size: 1rem; margin: 1rem 0 .25rem }
  pre { white-space: pre-wrap; background: var(--shade); padding: .75rem; margin: .25rem 0 .75rem; border-radius: .375rem }
  ul { margin: 0; padding: 0; list-style: none }
  nav ul ul { padding-inline-start: 1rem }
  nav a { display: inline-block; padding: .125rem 0 }
  article { margin: 1.5rem 0; padding-top: 1rem; border-top: 1px solid var(--rule) }
  .call code, .name { font-weight: 600 }
  .fields li, .answers > li, .alternatives > li, .list > li { padding: .25rem 0 }
  .fields .fields, .answers .fields, .alternatives .fields { padding-inline-start: 1rem; border-inline-start: 2px solid var(--rule) }
  .type, .said, .media, .label { color: var(--quiet) }
  .said::before { content: "· " }
  summary { cursor: pointer; padding: .25rem 0 }
  :target { scroll-margin-top: 1rem }
`
