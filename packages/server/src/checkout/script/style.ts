// The look of <plazo-checkout>. It follows the width of its own box, because a shop may give it a
// narrow column.
import { CARD, CONTROLS, tokens } from '../../http/page/script/design.ts'

export const CHECKOUT_STYLE = `${tokens(':host')}${CONTROLS}
:host { display: block; container-type: inline-size; color: var(--ink); text-align: start; overflow-wrap: anywhere }
.checkout { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); align-items: start }
.card { ${CARD}; padding: 1.25rem }
.step { display: grid; gap: 1rem; min-inline-size: 0 }
.title { font-size: 1.5rem; font-weight: 700; scroll-margin-top: 2rem }
.stack { display: grid; gap: 1.5rem }
.group { font-size: 1.0625rem; font-weight: 700; margin-block-end: .75rem; inline-size: 100% }
.group-of-fields { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; align-items: start }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center }
.actions > button, .actions > .button { flex: 1 1 100% }
.amount { font-variant-numeric: tabular-nums; white-space: nowrap }

.cart { display: grid; gap: .875rem }
.seller { display: flex; gap: .75rem; align-items: center }
.seller-name { font-weight: 700; line-height: 1.25 }
.avatar { display: grid; place-items: center; flex: none; inline-size: 2.5rem; block-size: 2.5rem; border-radius: .75rem; background: var(--glow); color: var(--accent); font-weight: 700; font-size: 1.125rem }
.items { list-style: none; margin: 0; padding: .875rem 0 0; border-block-start: 1px solid var(--edge); display: grid; gap: .375rem; font-size: .9375rem }
.items li, .total { display: flex; gap: 1rem; justify-content: space-between }
.total { border-block-start: 1px solid var(--edge); padding-block-start: .875rem }
.total strong { font-size: 1.125rem }

/* A wide checkout shows the chosen plan with the order. A narrow one shows it next to the click that binds. */
.chosen { display: none }
.cart .plan { border-width: 1px 0 0; border-radius: 0; padding-block-start: .875rem }
.cart .plan > * { padding: 0 0 .5rem }

.plans { display: grid; gap: .625rem }
.plan { border: 1px solid var(--edge); border-radius: .75rem }
.plan:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--glow) }
.plan-head { display: flex; gap: .75rem; align-items: center; padding: .75rem 1rem }
label.plan-head { cursor: pointer }
.plan-head > span { display: flex; flex-wrap: wrap; flex: 1; gap: 0 1rem; justify-content: space-between }
.plan-head input { margin: 0 }
.plan-name { font-weight: 600 }
.plan:has(:checked) .quiet { color: var(--ink) }
.plan-body { display: grid; gap: .75rem; padding: 0 1rem 1rem }
.plan:not(.alone):not(:has(:checked)) .plan-body { display: none }
.schedule { list-style: none; margin: 0; padding: 0; display: grid; gap: 0 1.5rem; font-size: .9375rem }
.schedule.long { grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)) }
.schedule li { display: flex; justify-content: space-between; gap: 1rem; padding-block: .25rem; border-block-end: 1px solid var(--edge) }
.plan:has(:checked) .schedule li { border-color: color-mix(in srgb, var(--accent) 25%, transparent) }
.terms { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; font-size: .875rem }
.terms div { display: flex; gap: .375rem }
.terms dt { color: var(--soft) }
.plan:has(:checked) .terms dt { color: var(--ink) }
.terms dd { margin: 0; font-weight: 600 }

.legal { display: grid; gap: .5rem; padding: 1rem; border: 1px solid var(--edge); border-radius: .75rem; font-size: .875rem }
.legal .group { margin: 0; font-size: 1rem }
.legal dl { display: grid; gap: .5rem; margin: 0 }
.legal dt { color: var(--soft) }
.legal dd { margin: 0; white-space: pre-line }
.documents { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin-block-end: -.5rem }
.binding { display: grid; gap: .625rem; align-items: start }
.documents a { display: inline-flex; align-items: center; min-block-size: 2.75rem }

.parts { display: grid; grid-template-columns: 1fr 1fr 1.5fr; gap: .75rem; max-inline-size: 22rem }
.parts label { font-size: .8125rem; font-weight: 400; color: var(--soft) }
.field.postal_code input { max-inline-size: 10rem }
.capitals { text-transform: uppercase }
.code { font-size: 1.5rem !important; letter-spacing: .5em; text-align: center; max-inline-size: 14rem; font-variant-numeric: tabular-nums }
.alert:not(:empty), .note { padding: .75rem 1rem; border-radius: .5rem; background: var(--wrong-glow); color: var(--wrong); font-weight: 600 }
.alert:empty { display: none }
.alert:focus { outline: none }
.note { background: var(--glow); color: var(--ink); font-weight: 400 }
.trouble { font-size: .875rem; color: var(--wait); background: var(--wait-glow); border-radius: .5rem; padding: .5rem .75rem; flex: 1 1 100% }
.trouble:empty { display: none }
button.link { border: 0; padding-inline: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline }
button.link:hover { background: none; text-decoration-thickness: 2px }
.way { display: inline-flex; align-items: center; min-block-size: 2.75rem; justify-self: start }

.cards { display: grid; gap: .5rem }
.cards .group { margin-block-end: .5rem }
.saved { align-items: center; padding: .625rem 1rem; border: 1px solid var(--edge); border-radius: .75rem }
.saved input { margin: 0 }
.saved .quiet { display: block }
.saved:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--glow); font-weight: 600 }
.saved:has(:checked) .quiet { color: var(--ink); font-weight: 400 }
.frame { margin-inline: -.375rem }

.step.centered { justify-items: center; text-align: center; padding-block: 2.5rem; gap: .875rem }
.step.centered p { max-inline-size: 26rem; text-wrap: balance }
.step.centered > .button { margin-block-start: .5rem }
.step.centered > .spinner { inline-size: 3rem; block-size: 3rem; border-width: .25rem; color: var(--accent) }
progress { inline-size: min(100%, 16rem); block-size: .375rem; border: 0; border-radius: 1rem; overflow: hidden; background: var(--edge); color: var(--accent); appearance: none }
progress::-webkit-progress-bar { background: var(--edge) }
progress::-webkit-progress-value { background: var(--accent); transition: inline-size 1s linear }
progress::-moz-progress-bar { background: var(--accent) }
.badge { display: grid; place-items: center; inline-size: 3.5rem; block-size: 3.5rem; border-radius: 50%; background: var(--wrong-glow); color: var(--wrong) }
.badge.finish { background: var(--good-glow); color: var(--good) }
.badge.show_on_hold { background: var(--glow); color: var(--accent) }
.badge.show_conflict { background: var(--wait-glow); color: var(--wait) }
.icon { inline-size: 2rem; block-size: 2rem; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }

@container (min-width: 30rem) {
  .card { padding: 1.75rem }
  .cart { padding: 1.25rem }
  .actions > button, .actions > .button { flex: none }
  .group-of-fields { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) }
  .group-of-fields > .birth, .group-of-fields > .address { grid-column: 1 / -1 }
}
@container (min-width: 52rem) {
  .checkout { grid-template-columns: minmax(0, 1fr) 22rem; gap: 1.5rem }
  .legal dl { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .5rem 1.5rem }
  .chosen:not(:empty) { display: block }
  .binding .plan { display: none }
  .cart { order: 2; position: sticky; inset-block-start: 1.5rem }
}
@media (prefers-reduced-motion: reduce) { progress::-webkit-progress-value { transition: none } }
`
