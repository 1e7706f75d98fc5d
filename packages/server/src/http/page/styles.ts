// The look of all pages in one place: the rules that every page has, and those of one kind of page.
import { CARD, CONTROLS, tokens } from './script/design.ts'

export const BASE_STYLE = `
  ${tokens(':root')}
  body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--card); color: var(--ink); overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
  p { margin: .25rem 0 }
  a { color: var(--accent) }
  code, pre { font-family: ui-monospace, monospace; font-size: .9375em }
  .quiet { color: var(--soft) }
  .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%) }
  input:not([type=checkbox], [type=radio]) { display: block; inline-size: 100%; min-block-size: 2.75rem; font: inherit; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; background: none; color: inherit }
  input[type=checkbox], input[type=radio] { inline-size: 1.25rem; block-size: 1.25rem; flex: none; margin: 0; accent-color: var(--accent) }
  button { font: inherit; min-block-size: 2.75rem; padding: .5rem 1.25rem; margin: .5rem .5rem 0 0; border: 2px solid var(--accent); border-radius: .5rem; background: none; color: var(--accent); cursor: pointer }
  [role=alert]:not(:empty) { border-inline-start: .25rem solid var(--wrong); padding: .25rem 1rem; margin: 0 0 1rem }
`

/** A page around <plazo-checkout>, and what it shows until the element is there. */
export const CHECKOUT_PAGE_STYLE = `
  ${CONTROLS}
  body { max-width: 66rem; padding: 1rem; background: var(--ground) }
  main { min-block-size: 80vh }
  plazo-checkout > .card { display: grid; gap: 1rem; justify-items: start; ${CARD}; padding: 1.5rem }
  /* The way back is for a checkout that does not start. No script can say that the script has not started, so time does. */
  @keyframes appear { from { visibility: hidden } to { visibility: visible } }
  plazo-checkout:not([failed]) .late, plazo-checkout:not([failed]) .button { animation: appear 5s step-end backwards }
  plazo-checkout[failed] .late { display: none }
  @media (scripting: none) { .late { display: none } plazo-checkout .button { animation: none !important } }
  @media (min-width: 60rem) { body { padding: 2.5rem 1.5rem } }
`

/** Pages for a shopper: the privacy policy, and what is shown in place of a provider's page. */
export const SHOPPER_STYLE = `
  ${CONTROLS}
  body { max-width: 36rem; background: var(--ground) }
  main { ${CARD}; padding: 1.5rem }
  h1 { margin-block-end: .5rem }
  h2 { font-size: 1.125rem; margin-block: 1.25rem .25rem }
  form { display: grid; gap: 1rem }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-block-start: 1rem }
  @media (max-width: 30rem) { button { inline-size: 100% } }
  @media (min-width: 60rem) { body { padding-block: 3rem } }
`

/**
 * The pages in the frame of a payment. The page around it has the card, so they have none. The
 * padding is for focus rings.
 */
export const FRAMED_STYLE = `
  ${CONTROLS}
  body { max-width: none; padding: .375rem; background: var(--card) }
  h1 { font-size: 1.125rem; margin-block-end: .25rem }
  form { display: grid; gap: 1rem; max-inline-size: 26rem }
  .pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; align-items: start }
  .saved-card { font-weight: 600 }
  .saved-card + .field input { max-inline-size: 10rem }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem }
  [role=status]:not(:empty) { margin-block-start: .75rem; font-weight: 600 }
  [role=status]:focus { outline: none }
  .is-wrong { color: var(--wrong) }
  noscript p { color: var(--wrong); font-weight: 600; margin-block-start: .75rem }
  /* The buttons wait for their script, which takes an instant. They look ready, so that nothing flickers. */
  @media (scripting: enabled) {
    button[disabled] { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
    button.other[disabled] { background: none; border-color: var(--line); color: var(--ink) }
  }
  @media (max-width: 24rem) { button, .button { inline-size: 100% } }
`

export const CONSOLE_STYLE = `
  h2 { font-size: 1.125rem; margin: 2rem 0 .5rem }
  h3 { font-size: 1rem; margin: 0 }
  dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.5rem; margin: 0 }
  dt, li time { color: var(--soft) }
  dd { margin: 0 }
  ol { list-style: none; margin: 0; padding: 0 }
  li { display: grid; grid-template-columns: 13rem 1fr; gap: 0 1.5rem; padding: .5rem 0; border-top: 1px solid var(--edge) }
  li p { margin: 0 }
  form { border: 1px solid var(--edge); border-radius: .5rem; padding: 1rem }
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
  html { scroll-padding-top: 4.5rem }
  body { max-width: none; padding: 0 }
  main { padding: 0 1rem 1rem }
  h1 { font-size: 1.75rem }
  h1:focus { outline: none }
  h2 { font-size: 1.375rem; line-height: 1.3; margin: 3.5rem 0 .5rem }
  h3 { font-size: 1.125rem; margin: 0 }
  h4 { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 1.25rem 0 .25rem }
  ul { margin: 0; padding: 0; list-style: none }
  .side { position: sticky; inset-block-start: 0; z-index: 1; display: grid; grid-template-columns: 1fr auto; gap: .5rem; margin: 0 0 1rem; padding: .75rem 1rem; background: var(--card); border-block-end: 1px solid var(--edge) }
  .skip { position: absolute; inset-block-start: -4rem; padding: .5rem 1rem; background: var(--card) }
  .skip:focus { inset-block-start: .5rem; z-index: 2 }
  @media (scripting: none) { search { display: none } }
  search { position: relative }
  kbd { display: none; position: absolute; inset: .625rem .75rem auto auto; padding: 0 .5rem; border: 1px solid var(--line); border-radius: .25rem; font: .8125rem/1.5rem ui-monospace, monospace; color: var(--soft) }
  #count { font-size: .8125rem; color: var(--soft) }
  #count:empty { display: none }
  #found a, .side nav a { display: block; padding: .25rem .625rem; border-radius: .375rem; color: inherit; text-decoration: none }
  #found a:hover, .side nav a:hover { background: var(--ground) }
  #found small { display: block; color: var(--soft); font-family: ui-monospace, monospace }
  summary { cursor: pointer; padding: .25rem 0 }
  .side summary { min-block-size: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .375rem; list-style: none }
  .side details[open] { grid-column: 1 / -1; order: 1 }
  nav > ul > li > a { font-weight: 600 }
  nav > ul > li { margin-block-end: .75rem }
  nav ul ul { font-size: .875rem }
  .side nav ul ul a { color: var(--soft) }
  .side nav a[aria-current] { background: var(--ground); color: var(--accent) }
  article { content-visibility: auto; contain-intrinsic-size: auto 50rem; margin: 1.5rem 0; padding-top: 1.5rem; border-top: 1px solid var(--edge) }
  .anchor { text-decoration: none; opacity: .6 }
  .call { margin: .5rem 0 }
  .call code { display: inline-block; padding: .25rem .625rem; border-radius: .375rem; background: var(--ground); font-weight: 600 }
  .call b { color: var(--accent) }
  .name { font-weight: 600 }
  .fields li, .answers > li, .alternatives > li, .list > li { padding: .25rem 0 }
  .fields .fields, .answers .fields, .alternatives .fields { padding-inline-start: 1rem; border-inline-start: 2px solid var(--edge) }
  .type, .said, .media, .label { color: var(--soft) }
  .fields strong { font-size: .75rem; font-weight: 600; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem }
  .said::before { content: "· " }
  .code { margin: .25rem 0 .75rem; border: 1px solid var(--edge); border-radius: .5rem; overflow: hidden }
  .code .label { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-block-size: 2.25rem; margin: 0; padding-inline: .75rem .25rem; font-size: .8125rem; border-block-end: 1px solid var(--edge) }
  .code button { flex: none; min-block-size: 1.75rem; margin: 0; padding: 0 .75rem; border: 0; font-size: .8125rem; font-weight: 600 }
  .code button:hover { background: var(--card) }
  .code, .code .label { background: var(--ground) }
  pre { margin: 0; padding: .75rem; white-space: pre-wrap }
  @media (max-width: 63.99rem) { .side details[open] nav, #found:not(:empty) { max-block-size: 60vh; overflow-y: auto } }
  @media (min-width: 64rem) {
    html { scroll-padding-top: 1rem }
    body { display: grid; grid-template-columns: minmax(1rem, 1fr) 17rem minmax(0, 61rem) minmax(1rem, 1fr); align-items: start }
    .top { grid-column: 1 / -1 }
    .side { grid-column: 2; display: block; block-size: 100vh; margin: 0; padding: 1rem .25rem; overflow-y: auto; border: 0 }
    main { grid-column: 3; padding: 1rem 0 1rem 2.25rem }
    search { position: sticky; inset-block-start: 0; background: var(--card); box-shadow: 0 0 0 .5rem var(--card) }
    input:not(:focus):placeholder-shown + kbd { display: block }
    .side nav { margin-block-start: 1rem }
    @supports selector(::details-content) {
      .side summary { display: none }
      .side details::details-content { content-visibility: visible; block-size: auto }
    }
  }
`
