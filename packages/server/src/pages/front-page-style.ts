// The look of the sandbox's front page: three panes on one screen, or tabs on a phone.

import { tokens } from '../browser/pages/design.ts'

export const FRONT_PAGE_STYLE = `
  ${tokens(':root')}
  body { max-width: none; padding: 0; background: var(--ground); min-block-size: 100dvh }
  p { margin: 0 }
  h1, h2, h3 { margin: 0; line-height: 1.25 }
  .top { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; padding: .5rem 1rem; background: var(--card); border-block-end: 1px solid var(--edge) }
  .name { font-size: 1.125rem; font-weight: 700; letter-spacing: -.02em; color: var(--ink); text-decoration: none }
  .sandbox { padding: .125rem .625rem; border-radius: 1rem; background: var(--wait-glow); color: var(--wait); font-size: .8125rem; font-weight: 700 }
  .top nav { display: flex; gap: .25rem; margin-inline-end: auto }
  .top nav a { padding: .375rem .75rem; border-radius: .5rem; color: var(--soft); text-decoration: none; font-weight: 500 }
  .top nav a:hover { background: var(--glow); color: var(--accent) }
  .top nav a[aria-current] { background: var(--glow); color: var(--accent); font-weight: 700 }
  .clock { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem }
  .clock time { color: var(--soft); font-variant-numeric: tabular-nums; font-size: .9375rem; margin-inline-end: .25rem }
  button { min-block-size: 2.25rem; margin: 0; padding: .25rem .875rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: var(--ink); font: inherit; font-size: .875rem; font-weight: 600; cursor: pointer }
  button:hover { background: var(--glow); border-color: var(--accent); color: var(--accent) }
  button[disabled] { color: var(--soft); background: none; border-color: var(--edge); cursor: default }
  button[aria-busy=true] { cursor: progress; color: var(--soft) }
  button.main { min-block-size: 3rem; inline-size: 100%; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-size: 1rem }
  button.main:hover { background: var(--accent-deep); border-color: var(--accent-deep); color: var(--on-accent) }
  .news:not(:empty) { margin: .75rem 1rem 0; padding: .625rem 1rem; border-radius: .625rem; background: var(--glow); color: var(--ink); font-size: .9375rem }
  .news.is-wrong { background: var(--wrong-glow); color: var(--wrong) }
  .tabs { display: none }
  .panes { display: grid; grid-template-columns: minmax(21rem, 25rem) minmax(0, 1fr) minmax(20rem, 25rem); gap: .875rem; padding: .875rem 1rem; block-size: calc(100dvh - 3.75rem); min-block-size: 34rem }
  .pane { display: flex; flex-direction: column; min-inline-size: 0; min-block-size: 0; background: var(--card); border: 1px solid var(--edge); border-radius: .875rem; box-shadow: var(--shadow); overflow: hidden }
  .pane > header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem .75rem; padding: .75rem 1rem; border-block-end: 1px solid var(--edge) }
  .pane > header h2 { font-size: 1rem }
  .pane > header .quiet { font-size: .875rem; font-variant-numeric: tabular-nums }
  .body { flex: 1; min-block-size: 0; overflow: auto; padding: 1rem }
  #shop .body > * + *, #checkout > * + * { margin-block-start: 1rem }
  #choose { display: grid; gap: 1.125rem }
  #hint:empty { display: none }
  #buying { display: grid; gap: 1rem }
  #before > * + * { margin-block-start: .75rem }
  #timeline > .body { padding: 0 }
  plazo-timeline { block-size: 100% }
  #machine .body { padding: .25rem 1rem 1rem }
  .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%) }
  .recent { list-style: none; margin: .5rem 0 0; padding: 0 }
  .recent li { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding-block: .25rem; font-size: .875rem }
  .recent button { min-block-size: 1.75rem; font-size: .8125rem }
  #before h3 { font-size: .875rem }
  .lead { font-size: .9375rem; color: var(--soft) }
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
  .more { margin: 0 1rem 1.5rem; background: var(--card); border: 1px solid var(--edge); border-radius: .875rem; box-shadow: var(--shadow) }
  .more > summary { padding: .875rem 1rem; font-weight: 700; cursor: pointer; border-radius: .875rem }
  .more > summary:hover { color: var(--accent) }
  .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1.5rem; padding: 0 1rem 1.25rem }
  .columns h3 { font-size: .9375rem; margin-block-end: .5rem }
  .columns section > * + * { margin-block-start: .5rem }
  .columns table { border-collapse: collapse; inline-size: 100%; font-size: .875rem }
  .columns th, .columns td { text-align: start; padding: .3125rem .75rem .3125rem 0; border-block-end: 1px solid var(--edge); font-weight: 400; overflow-wrap: anywhere }
  .columns thead th { color: var(--soft); font-size: .8125rem }
  .columns p, .columns li { font-size: .875rem }
  .code { position: relative }
  .code pre { margin: 0; padding: .75rem 1rem; padding-inline-end: 4.5rem; border-radius: .625rem; background: #12162a; color: #e6e9f8; font-size: .8125rem; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere }
  .code button { position: absolute; inset-block-start: .5rem; inset-inline-end: .5rem; min-block-size: 1.75rem; font-size: .75rem }
  @media (min-width: 64.0625rem) { plazo-machine { block-size: 100% } }
  @media (max-width: 64rem) {
    .panes { display: block; block-size: auto; min-block-size: 0; padding: .75rem }
    .tabs { display: grid; grid-template-columns: repeat(3, 1fr); gap: .25rem; padding: .5rem .75rem 0; position: sticky; inset-block-start: 0; background: var(--ground); z-index: 1 }
    .tabs button { min-block-size: 2.75rem; border-color: transparent; background: none; color: var(--soft) }
    .tabs button[aria-selected=true] { background: var(--card); border-color: var(--edge); color: var(--accent); font-weight: 700 }
    .panes:not([data-pane=shop]) #shop, .panes:not([data-pane=machine]) #machine, .panes:not([data-pane=timeline]) #timeline { display: none }
    .pane, .body { overflow: visible }
    .more { margin-inline: .75rem }
  }
  @media (max-width: 40rem) { .top { padding-inline: .75rem } .top nav { order: 1; inline-size: 100%; margin: 0 -.5rem } .clock { margin-inline-start: 0 } .clock time { inline-size: 100% } }
`
