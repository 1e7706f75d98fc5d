// The look of the sandbox's front page: three panes on one screen, or tabs on a phone.
import { CARD } from '../browser/shared/design.ts'
import { SANDBOX_STYLE } from './sandbox-layout.ts'

export const FRONT_PAGE_STYLE = `
  ${SANDBOX_STYLE}
  .news:not(:empty) { margin: .75rem 1rem 0; padding: .625rem 1rem; border-radius: .625rem; background: var(--glow); color: var(--ink); font-size: .9375rem }
  .news.is-wrong { background: var(--wrong-glow); color: var(--wrong) }
  .tabs { display: none }
  .panes { display: grid; grid-template-columns: minmax(21rem, 24fr) minmax(0, 34fr) minmax(19rem, 23fr); gap: .875rem; padding: .875rem 1rem; block-size: calc(100dvh - 3.75rem); min-block-size: 34rem }
  .pane { display: flex; flex-direction: column; min-inline-size: 0; min-block-size: 0; ${CARD}; overflow: hidden }
  .pane > header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem .75rem; padding: .75rem 1rem; border-block-end: 1px solid var(--edge) }
  .pane > header h2 { font-size: 1rem }
  .pane > header .quiet { font-size: .875rem; font-variant-numeric: tabular-nums }
  .body { flex: 1; min-block-size: 0; overflow: auto; padding: 1rem }
  #checkout > * + * { margin-block-start: 1rem }
  #choose { display: grid; gap: 1.125rem }
  .foot { position: sticky; inset-block-end: -1rem; margin: 0 -1rem -1rem; padding: .75rem 1rem 1rem; background: var(--card); border-block-start: 1px solid var(--edge); z-index: 1 }
  #hint:empty { display: none }
  #buying { display: grid; gap: 1rem }
  #before > * + * { margin-block-start: .75rem }
  #timeline > .body { padding: 0 }
  plazo-timeline { block-size: 100% }
  #machine .body { padding: .25rem 1rem 1rem }
  .recent { list-style: none; margin: .5rem 0 0; padding: 0 }
  .recent li { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding-block: .25rem; font-size: .875rem }
  .recent button { min-block-size: 1.75rem; font-size: .8125rem }
  #before h3 { font-size: .875rem }
  fieldset { border: 0; margin: 0; padding: 0; min-inline-size: 0 }
  legend { padding: 0 0 .5rem; font-size: .875rem; font-weight: 600 }
  .chips { display: flex; flex-wrap: wrap; gap: .375rem }
  .chip { position: relative; display: inline-flex; align-items: center; min-block-size: 2rem; padding: .125rem .75rem; border: 1px solid var(--edge); border-radius: 1rem; font-size: .875rem; cursor: pointer }
  .chip input { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; margin: 0; opacity: 0; cursor: pointer }
  .chip:hover { border-color: var(--accent) }
  .chip:has(:checked) { background: var(--glow); border-color: var(--accent); color: var(--accent); font-weight: 700 }
  .chip:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px }
  .chip .quiet { margin-inline-start: .3125rem; color: inherit }
  .outcome { margin-block-start: .625rem; padding: .5rem .75rem; border-inline-start: .1875rem solid var(--accent); background: var(--glow); border-radius: 0 .5rem .5rem 0; font-size: .875rem }
  .outcome:empty { display: none }
  #answers { inline-size: 100%; min-block-size: 2.75rem; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: inherit; font: inherit; font-size: .9375rem }
  .cart { inline-size: 100%; border-collapse: collapse }
  .cart td, .cart th { padding: .5rem 0; border-block-end: 1px solid var(--edge); text-align: start; font-weight: 400 }
  .cart td { text-align: end; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap }
  .cart tr:last-child > * { border: 0; font-weight: 700 }
  .hint-card { padding: .75rem 1rem; border-radius: .625rem; background: var(--wait-glow); font-size: .875rem }
  .hint-card > * + * { margin-block-start: .375rem }
  .hint-card .row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem .75rem }
  .hint-card code { font-weight: 700; font-size: 1rem; letter-spacing: .03em }
  .hint-card button { min-block-size: 2rem; border-color: var(--line); background: var(--card) }
  .under { display: flex; flex-wrap: wrap; gap: .5rem }
  .steps { margin: 0; padding-inline-start: 1.25rem; font-size: .9375rem }
  .steps li { padding-block: .1875rem }
  .more { margin: 0 1rem 1.5rem; ${CARD} }
  .more > summary { padding: .875rem 1rem; font-weight: 700; cursor: pointer; border-radius: .875rem }
  .more > summary:hover { color: var(--accent) }
  .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1.5rem; padding: 0 1rem 1.25rem }
  .columns h3 { font-size: .9375rem; margin-block-end: .5rem }
  .columns section > * + * { margin-block-start: .5rem }
  .columns table { border-collapse: collapse; inline-size: 100%; font-size: .875rem }
  .columns th, .columns td { text-align: start; padding: .3125rem .75rem .3125rem 0; border-block-end: 1px solid var(--edge); font-weight: 400; overflow-wrap: anywhere }
  .columns thead th { color: var(--soft); font-size: .8125rem }
  .columns p, .columns li { font-size: .875rem }
  @media (min-width: 64.0625rem) { plazo-machine { block-size: 100% } body:has(plazo-drills:not([hidden])) .panes { block-size: calc(100dvh - 7.125rem) } }
  @media (max-width: 64rem) {
    .panes { display: block; block-size: auto; min-block-size: 0; padding: .75rem }
    .tabs { display: grid; grid-template-columns: repeat(3, 1fr); gap: .25rem; padding: .5rem .75rem 0; position: sticky; inset-block-start: 0; background: var(--ground); z-index: 1 }
    .tabs button { min-block-size: 2.75rem; border-color: transparent; background: none; color: var(--soft) }
    .tabs button[aria-selected=true] { background: var(--card); border-color: var(--edge); color: var(--accent); font-weight: 700 }
    .panes:not([data-pane=shop]) #shop, .panes:not([data-pane=machine]) #machine, .panes:not([data-pane=timeline]) #timeline { display: none }
    .pane, .body { overflow: visible } .foot { inset-block-end: 0; border-radius: 0 0 .875rem .875rem }
    .more { margin-inline: .75rem }
  }
`
