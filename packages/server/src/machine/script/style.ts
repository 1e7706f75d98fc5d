// The style of <plazo-machine>, in its shadow root: the page around it may have any style of its
// own.

import { tokens } from '../../http/page/script/design.ts'
import { PICTURE_STYLE } from '../picture.ts'

export const MACHINE_ELEMENT_STYLE = `
${tokens(':host')}
:host { display: flex; container-type: inline-size; flex-direction: column; color: var(--ink) }
@container (max-width: 32rem) { .bar button { font-size: .8125rem; min-block-size: 2rem; padding-inline: .5rem } .bar { gap: .375rem; padding: .25rem 0 } }
.trouble:empty { display: none }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .5rem 0 }
[role=tablist] { display: flex; flex-wrap: wrap; gap: .375rem }
button { font: inherit; font-size: .875rem; min-block-size: 2.25rem; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: 1.25rem; background: var(--card); color: var(--ink); cursor: pointer }
button[aria-selected=true], button[aria-pressed=true] { background: var(--glow); border-color: var(--accent); color: var(--accent); font-weight: 600 }
button:disabled { opacity: .5; cursor: default }
.tools { display: flex; gap: .25rem; margin-inline-start: auto }
.canvas { position: relative; overflow: auto; flex: 0 1 auto; min-block-size: 14rem; max-block-size: calc(100vh - 15rem); border: 1px solid var(--edge); border-radius: .75rem; background: var(--card); padding: .75rem; text-align: center }
.canvas svg { vertical-align: top }
.canvas:focus-visible { outline-offset: -3px }
.track { position: relative; flex: 1; min-inline-size: 8rem; padding-block-end: .5rem }
.track input { display: block; inline-size: 100%; margin: 0; accent-color: var(--accent) }
.track i { position: absolute; inset-block-end: -.125rem; inline-size: .5rem; block-size: .5rem; margin-inline-start: -.25rem; border-radius: 50%; background: var(--wrong) }
.track .copied { display: block; block-size: 1.125rem; margin-block-start: .125rem; padding-inline-end: .25rem; border-block-start: 3px solid var(--soft); border-inline-end: 1px solid var(--soft); color: var(--soft); font-size: .75rem; line-height: 1.125rem; text-align: end; white-space: nowrap; overflow: hidden }
.guide { border: 1px solid var(--edge); border-radius: .75rem; background: var(--card); padding: .75rem 1rem; margin: .75rem 0 0 }
.guide header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem }
.guide h2 { flex: 1 1 10rem; font-size: 1rem; margin: 0 }
.guide p { margin: .25rem 0; font-size: .875rem; color: var(--soft) }
.guide .wrong { color: var(--wrong) }
.guide ol { list-style: none; counter-reset: step; margin: .5rem 0 0; padding: 0; font-size: .9375rem }
.guide li { position: relative; counter-increment: step; padding: .1875rem 0 .1875rem 2.125rem }
.guide li::before { content: counter(step); position: absolute; inset: .25rem auto auto 0; inline-size: 1.375rem; block-size: 1.375rem; border: 1px solid var(--edge); border-radius: 50%; color: var(--soft); font-size: .75rem; line-height: 1.25rem; text-align: center }
.guide li.now { font-weight: 600 }
.guide li.now::before { border-color: var(--accent); background: var(--glow); color: var(--accent) }
.guide li.done::before { content: ""; border-color: var(--good); background: var(--good) }
.guide li.done::after { content: ""; position: absolute; inset: .5rem auto auto .46875rem; inline-size: .375rem; block-size: .625rem; border: solid var(--card); border-width: 0 2px 2px 0; rotate: 45deg }
.guide li.failed::before { content: "!"; border-color: var(--wrong); background: var(--wrong); color: var(--card); font-weight: 700 }
button.main { min-block-size: 2.5rem; padding-inline: 1.25rem; border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600 }
button[aria-busy=true] { cursor: progress; opacity: .6 }
.where { font-size: .875rem; color: var(--soft); min-inline-size: 9rem }
.line { font-size: .875rem; margin: .25rem 0 0; color: var(--soft) }
.line strong { color: var(--ink) }
.names { font: .75rem ui-monospace, monospace }
.trouble { margin: .5rem 0 }
ul { list-style: none; margin: 0; padding: 0; text-align: start }
.cards > li { border: 1px solid var(--edge); border-radius: .5rem; padding: .5rem .75rem; margin: .5rem 0; background: var(--card) }
.cards > li.active { border-color: var(--accent); border-width: 2px; background: var(--glow) }
.cards > li.visited { border-color: var(--accent) }
.cards > li.selected { outline: 2px dashed var(--accent); outline-offset: 2px }
.cards h2 { font-size: .9375rem; margin: 0 }
.cards h2 button { all: unset; cursor: pointer; font-weight: 600 }
.cards h2 button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.cards p { margin: 0; font-size: .875rem; color: var(--soft) }
.cards code { font-size: .8125rem }
.cards .ways li { font-size: .8125rem; padding: .125rem 0 }
.cards a { color: var(--accent) }
.machine [role=button] { cursor: pointer }
${PICTURE_STYLE}
`
