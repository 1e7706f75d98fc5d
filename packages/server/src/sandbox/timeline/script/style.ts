// The look of <plazo-timeline>, inside its shadow root.
import { tokens } from '../../../http/page/script/design.ts'

export const TIMELINE_STYLE = `
${tokens(':host')}
:host { display: block; overflow: auto; color: var(--ink); font-size: .875rem; line-height: 1.45; scrollbar-gutter: stable }
:focus-visible { outline: 3px solid var(--accent); outline-offset: -2px }
ol { list-style: none; margin: 0; padding: .5rem }
.entry { display: grid; grid-template-columns: 4.25rem 1.5rem minmax(0, 1fr); gap: 0 .25rem; padding: .375rem .5rem; border-radius: .625rem; overflow-wrap: break-word }
.entry > time { color: var(--soft); font-variant-numeric: tabular-nums; font-size: .8125rem; padding-block-start: .0625rem }
.forked-from { margin: .75rem 1rem .25rem; padding: .5rem .75rem; border-radius: .5rem; background: var(--ground) }
.forked-from a { color: var(--accent) }
.entry.copied { border-radius: 0; background: var(--ground); box-shadow: inset .1875rem 0 0 var(--line) }
.entry.copied > time::after { content: "copied"; display: block; font-size: .75rem }
.entry.current { background: var(--glow); box-shadow: inset .1875rem 0 0 var(--accent) }
.entry.after, .entry.after .badge { color: var(--soft) }
.entry.after .mark { color: var(--line) }
.entry.after .badge { background: var(--ground) }
.back { position: sticky; inset-block-end: 0; display: flex; align-items: center; justify-content: space-between; gap: .75rem; margin: 0; padding: .5rem 1rem; background: var(--card); border-block-start: 1px solid var(--edge); color: var(--soft) }
.back button { font: inherit; font-weight: 600; min-block-size: 2.25rem; padding: 0 .875rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--on-accent); cursor: pointer }
.mark { color: var(--accent); padding-block-start: .125rem }
.bad .mark { color: var(--wrong) }
.later .mark, .step .mark { color: var(--soft) }
.sms .mark { color: var(--wait) }
.icon { inline-size: 1.125rem; block-size: 1.125rem; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; display: block }
.title { font-weight: 600 }
.text { display: block; color: var(--soft); margin: 0 }
.names { display: block; color: var(--soft); font: .75rem/1.5 ui-monospace, monospace }
.day { display: block }
.badge { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-weight: 700; font-size: .75rem; background: var(--edge); color: var(--ink); vertical-align: .0625rem }
.good .badge { background: var(--good-glow); color: var(--good) }
.bad .badge { background: var(--wrong-glow); color: var(--wrong) }
.sms .badge { background: var(--wait-glow); color: var(--wait); font-size: .875rem; letter-spacing: .05em }
summary { position: relative; cursor: pointer; list-style: none; padding-inline-end: 1.25rem; border-radius: .25rem }
summary::-webkit-details-marker { display: none }
summary::after { content: ""; position: absolute; inset-block-start: .4375rem; inset-inline-end: .375rem; inline-size: .375rem; block-size: .375rem; border: solid var(--soft); border-width: 0 2px 2px 0; rotate: -45deg }
details[open] > summary::after { rotate: 45deg }
summary:hover .title, .seek:hover .title { color: var(--accent) }
.seek { font: inherit; color: inherit; background: none; border: 0; padding: 0; text-align: start; cursor: pointer; border-radius: .25rem; overflow-wrap: break-word; max-inline-size: 100% }
.part { margin-block-start: .5rem }
.part-head { display: flex; justify-content: space-between; align-items: center; color: var(--soft); font-size: .75rem; font-weight: 600 }
.code button { font: inherit; min-block-size: 1.75rem; padding: 0 .625rem; border: 1px solid var(--edge); border-radius: 1rem; background: var(--card); color: var(--accent); cursor: pointer }
.code button:hover { border-color: var(--accent) }
pre { margin: .25rem 0 0; padding: .625rem .75rem; border-radius: .5rem; background: var(--code); color: var(--on-code); font: .75rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-block-size: 20rem; overflow: auto }
.valid, .wrong { font-weight: 600; margin: .25rem 0 0 }
.valid { color: var(--good) }
.wrong { color: var(--wrong) }
h3 { font-size: .75rem; margin: .5rem 1rem 0; padding-block-start: .75rem; border-block-start: 1px solid var(--edge); color: var(--soft); font-weight: 600 }
.nothing { color: var(--soft); padding: 1rem }
`
