// All pages and custom elements share one look: these colours, this type, these controls. It has no
// DOM, so the server uses it for its pages too.

/**
 * The custom properties of the design, for `:root` of a page or `:host` of a custom element, and
 * the rules that all share.
 */
export const tokens = (root: ':root' | ':host'): string => `
${root} { color-scheme: light dark; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif; --ground: #f5f6fb; --card: #fff; --ink: #1a1f36; --soft: #525b70; --edge: #dce0ea; --line: #7a8399; --accent: #4f46e5; --accent-deep: #4038c7; --on-accent: #fff; --glow: #eef0ff; --wrong: #b42318; --wrong-glow: #fef1f0; --good: #0b7247; --good-glow: #e8f8ef; --wait: #8a4b08; --wait-glow: #fff5e5; --code: #12162a; --on-code: #e6e9f8; --shadow: 0 1px 2px #1a1f361f }
@media (prefers-color-scheme: dark) { ${root} { --ground: #10131c; --card: #1a1e2b; --ink: #eceef6; --soft: #b1b9cc; --edge: #333a4f; --line: #8089a2; --accent: #9d97ff; --accent-deep: #b4afff; --on-accent: #14152b; --glow: #262a4a; --wrong: #ffa097; --wrong-glow: #3a1c1e; --good: #72d8a6; --good-glow: #15322a; --wait: #f5bd6e; --wait-glow: #38290f; --shadow: 0 1px 2px #0006 } }
* { box-sizing: border-box }
[hidden] { display: none !important }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** The declarations of a card, which has a padding of its own. */
export const CARD =
  'background: var(--card); border: 1px solid var(--edge); border-radius: .875rem; box-shadow: var(--shadow)'

/** Text, fields, choices and buttons. */
export const CONTROLS = `
h1, h2, h3 { line-height: 1.25; margin: 0; letter-spacing: -.01em; text-wrap: balance }
h1:focus, h2:focus { outline: none }
p { margin: 0; text-wrap: pretty }
a { color: var(--accent) }
fieldset { border: 0; padding: 0; margin: 0; min-width: 0 }
legend { padding: 0 }
legend.field-name { margin-block-end: .25rem }
.field { display: grid; gap: .25rem; min-inline-size: 0 }
.field > label:not(.choice), legend.field-name { font-size: .875rem; font-weight: 600 }
.hint, .quiet { font-size: .875rem; color: var(--soft) }
.wrong { font-size: .875rem; font-weight: 600; color: var(--wrong) }
.field:has(> .wrong:not([hidden], :empty)) > .hint { display: none }
input:not([type=checkbox], [type=radio]) { inline-size: 100%; min-block-size: 2.75rem; font: inherit; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: inherit }
input:not([type=checkbox], [type=radio]):hover { border-color: var(--ink) }
input:not([type=checkbox], [type=radio])[aria-invalid=true] { border-color: var(--wrong); box-shadow: inset 0 0 0 1px var(--wrong); background: var(--wrong-glow) }
input[type=checkbox][aria-invalid=true] { border-radius: .1875rem; box-shadow: 0 0 0 2px var(--wrong) }
input[type=checkbox], input[type=radio] { inline-size: 1.25rem; block-size: 1.25rem; flex: none; margin: .125rem 0 0; accent-color: var(--accent) }
.choice { display: flex; gap: .75rem; align-items: start; min-block-size: 2.75rem; padding-block: .625rem; cursor: pointer }
button, .button { display: inline-flex; gap: .625rem; align-items: center; justify-content: center; min-block-size: 2.75rem; padding: .5rem 1.25rem; margin: 0; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer }
button:hover, .button:hover { background: var(--accent-deep); border-color: var(--accent-deep) }
button.other, .button.other { background: none; border-color: var(--line); color: var(--ink) }
button.other:hover, .button.other:hover { background: var(--glow); border-color: var(--accent) }
button[disabled], button[aria-disabled=true] { cursor: default; background: none; border-color: var(--edge); color: var(--soft) }
button[aria-busy=true] { cursor: progress; background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.other[aria-busy=true] { background: none; border-color: var(--line); color: var(--soft) }
button[aria-busy=true]::before, .spinner { content: ""; flex: none; inline-size: 1.125em; block-size: 1.125em; border: .1875em solid currentcolor; border-inline-end-color: transparent; border-radius: 50%; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { button[aria-busy=true]::before, .spinner { animation-duration: 4s } }
`
