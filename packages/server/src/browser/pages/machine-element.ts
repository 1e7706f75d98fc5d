// <plazo-machine> shows the statechart in any page, and the way of an order on it: as a picture, or as a list for phones and
// screen readers. It follows an order live, or shows a history that the page gives as data.
import type { Arrangement } from '../../machine/arrangement.ts'
import type { MachineMap, PathLine, PathStep } from '../../machine/order-path.ts'
import { findOrderPath } from '../../machine/order-path.ts'
import { highlightOf, PICTURE_STYLE, svgOf } from '../../machine/picture.ts'
import type { StateCard } from '../../machine/state-card.ts'

type MachineData = {
  readonly arrangements: readonly Arrangement[]
  readonly map: MachineMap
  readonly cards: readonly StateCard[]
}

/** A line of a history, with its time and what the step caused where the reader may see that. */
type Line = PathLine & { readonly at?: string; readonly causes?: readonly string[] }

const STYLE = `
:host { display: block; color-scheme: light dark; --ink: #1a1f36; --soft: #4f586c; --card: #fff; --ground: #f6f7fb; --edge: #d5dae6; --accent: #4f46e5; --glow: #eef0ff; --on-accent: #fff; color: var(--ink); font: 1rem/1.45 "Open Sans", system-ui, sans-serif }
@media (prefers-color-scheme: dark) { :host { --ink: #e8eaf2; --soft: #b3bbce; --card: #1c2030; --ground: #141824; --edge: #363d54; --accent: #a5a0ff; --glow: #282c4e; --on-accent: #14152b } }
* { box-sizing: border-box }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .5rem 0 }
[role=tablist] { display: flex; flex-wrap: wrap; gap: .375rem }
button { font: inherit; font-size: .875rem; min-block-size: 2.25rem; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: 1.25rem; background: var(--card); color: var(--ink); cursor: pointer }
button[aria-selected=true], button[aria-pressed=true] { background: var(--glow); border-color: var(--accent); color: var(--accent); font-weight: 600 }
button:disabled { opacity: .5; cursor: default }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.spring { flex: 1 }
.canvas { overflow: auto; border: 1px solid var(--edge); border-radius: .75rem; background: var(--card); padding: .75rem; text-align: center }
.canvas:focus-visible { outline-offset: -3px }
input[type=range] { flex: 1; min-inline-size: 8rem; accent-color: var(--accent) }
.where { font-size: .875rem; color: var(--soft); min-inline-size: 9rem }
.line { font-size: .875rem; margin: .25rem 0 0; color: var(--soft) }
.line strong { color: var(--ink) }
.trouble { margin: .5rem 0 }
ul { list-style: none; margin: 0; padding: 0; text-align: start }
.cards > li { border: 1px solid var(--edge); border-radius: .5rem; padding: .5rem .75rem; margin: .5rem 0; background: var(--card) }
.cards > li.active { border-color: var(--accent); border-width: 2px; background: var(--glow) }
.cards > li.visited { border-color: var(--accent) }
.cards h2 { font-size: .9375rem; margin: 0 }
.cards p { margin: 0; font-size: .875rem; color: var(--soft) }
.cards code { font-size: .8125rem }
.cards .ways li { font-size: .8125rem; padding: .125rem 0 }
.cards a { color: var(--accent) }
.machine [data-state]:not(.box, .header) { cursor: pointer }
${PICTURE_STYLE}
`

const REGIONS = ['checkout', 'risk', 'cancellation'] as const

/** Makes an element with text; texts never become markup. */
const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/**
 * Attributes: `data` (the URL of the statechart's data; by default next to this script), `src` (a same-origin URL of an order's
 * history, followed live at `src` + `/events`), `view` (`picture` or `list`), `region`, `at` (the number of the line to show).
 * Property `journal`: a history as data. Events: `plazo-line` and `plazo-state` tell what was selected.
 */
class PlazoMachine extends HTMLElement {
  static readonly observedAttributes = ['src', 'view', 'region', 'at']

  readonly #root = this.attachShadow({ mode: 'open' })
  #data: MachineData | null = null
  #lines: readonly Line[] = []
  #steps: readonly PathStep[] = []
  /** How many lines are shown; null follows the newest. */
  #shown: number | null = null
  #stream: EventSource | null = null
  #trouble = ''

  get journal(): readonly Line[] {
    return this.#lines
  }

  set journal(lines: readonly Line[]) {
    this.#setLines(lines)
  }

  connectedCallback(): void {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    this.#root.adoptedStyleSheets = [sheet]
    void this.#load()
  }

  disconnectedCallback(): void {
    this.#stream?.close()
    this.#stream = null
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || this.#data === null) return
    if (name === 'src') void this.#follow()
    else this.#draw()
  }

  async #load(): Promise<void> {
    try {
      const answer = await fetch(this.getAttribute('data') ?? new URL('../machine.json', import.meta.url).href)
      if (!answer.ok) throw new Error(String(answer.status))
      this.#data = (await answer.json()) as MachineData
    } catch {
      this.#trouble = 'The statechart could not be loaded. Reload the page to try again.'
      return this.#draw()
    }
    const at = Number(this.getAttribute('at'))
    this.#shown = this.hasAttribute('at') && at >= 0 ? at : null
    this.#setLines(this.#lines)
    await this.#follow()
  }

  async #follow(): Promise<void> {
    this.#stream?.close()
    this.#stream = null
    const src = this.getAttribute('src')
    if (src === null) return
    try {
      const answer = await fetch(src, { headers: { accept: 'application/json' } })
      if (!answer.ok) throw new Error(String(answer.status))
      const { history } = (await answer.json()) as { readonly history: readonly Line[] }
      this.#trouble = ''
      this.#setLines(history)
    } catch {
      this.#trouble = 'The order could not be loaded. Reload the page to try again.'
      return this.#draw()
    }
    const stream = new EventSource(`${src}/events?after=${this.#lines.at(-1)?.seq ?? 0}`)
    stream.addEventListener('line', (event) => this.#add(JSON.parse((event as MessageEvent<string>).data) as Line))
    this.#stream = stream
  }

  #add(line: Line): void {
    if (this.#lines.some(({ seq }) => seq === line.seq)) return
    this.#setLines([...this.#lines, line])
  }

  #setLines(lines: readonly Line[]): void {
    this.#lines = lines
    if (this.#data === null) return
    this.#steps = findOrderPath(this.#data.map, lines)
    this.#draw()
  }

  get #shownCount(): number {
    return Math.min(this.#shown ?? this.#lines.length, this.#lines.length)
  }

  #seek(count: number, isFollowing = false): void {
    const bounded = Math.max(0, Math.min(count, this.#lines.length))
    this.#shown = isFollowing ? null : bounded
    this.#draw()
    const line = this.#lines[this.#shownCount - 1]
    this.dispatchEvent(
      new CustomEvent('plazo-line', { detail: { seq: line?.seq ?? 0 }, bubbles: true, composed: true }),
    )
  }

  #selectState(id: string): void {
    this.dispatchEvent(new CustomEvent('plazo-state', { detail: { id }, bubbles: true, composed: true }))
  }

  get #region(): string {
    return this.getAttribute('region') ?? 'checkout'
  }

  get #isList(): boolean {
    return (this.getAttribute('view') ?? (matchMedia('(max-width: 40rem)').matches ? 'list' : 'picture')) === 'list'
  }

  #draw(): void {
    const focused = this.#root.activeElement?.getAttribute('data-key') ?? null
    const parts: Node[] = []
    if (this.#trouble !== '') parts.push(make('p', { class: 'trouble', role: 'alert' }, this.#trouble))
    if (this.#data !== null) {
      parts.push(this.#tabs(), this.#canvas(this.#data))
      if (this.#lines.length > 0) parts.push(this.#scrubber(), this.#lineText())
    }
    this.#root.replaceChildren(...parts)
    if (focused !== null) this.#root.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus()
  }

  #tabs(): HTMLElement {
    const line = this.#lines[this.#shownCount - 1]
    const first = this.#lines[0]
    const tabs = REGIONS.map((region) => {
      const state = line?.to[region] ?? first?.from[region]
      const tab = make(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${region}`,
          'data-key': `tab-${region}`,
          'aria-selected': String(region === this.#region),
          'aria-controls': 'panel',
          tabindex: region === this.#region ? '0' : '-1',
        },
        state === undefined ? region : `${region}: ${state}`,
      )
      tab.addEventListener('click', () => this.setAttribute('region', region))
      return tab
    })
    const list = make('div', { role: 'tablist', 'aria-label': 'Regions of the statechart' }, ...tabs)
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step === undefined) return
      const index = (REGIONS.indexOf(this.#region as (typeof REGIONS)[number]) + step + REGIONS.length) % REGIONS.length
      this.setAttribute('region', REGIONS[index] ?? 'checkout')
      this.#root.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus()
    })
    const view = make('button', { type: 'button', 'data-key': 'view', 'aria-pressed': String(this.#isList) }, 'List')
    view.addEventListener('click', () => this.setAttribute('view', this.#isList ? 'picture' : 'list'))
    return make('div', { class: 'bar' }, list, make('span', { class: 'spring' }), view)
  }

  #canvas(data: MachineData): HTMLElement {
    const region = this.#region
    const steps = this.#steps.slice(0, this.#shownCount)
    const highlight = highlightOf(steps)
    const panel = make('div', {
      class: 'canvas',
      id: 'panel',
      role: 'tabpanel',
      'aria-labelledby': `tab-${region}`,
      tabindex: '0',
      'data-key': 'panel',
    })
    const arrangement = data.arrangements.find((each) => each.region === region)
    if (arrangement === undefined) return panel
    if (this.#isList) panel.append(this.#list(data, highlight.active, highlight.visited))
    else {
      // Made from our own data; every text in it is escaped.
      panel.innerHTML = svgOf(arrangement, { highlight, title: `The statechart of the ${region}` })
      for (const state of panel.querySelectorAll<SVGGElement>('[data-state]:not(.box, .header)'))
        state.addEventListener('click', () => this.#selectState(state.dataset.state ?? ''))
    }
    return panel
  }

  #list(data: MachineData, active: ReadonlySet<string>, visited: ReadonlySet<string>): HTMLElement {
    const cards = data.cards.filter(({ region }) => region === this.#region)
    return make(
      'ul',
      { class: 'cards' },
      ...cards.map((card) => {
        const look = [active.has(card.id) ? 'active' : '', visited.has(card.id) ? 'visited' : ''].join(' ').trim()
        const item = make('li', { class: look, id: `state-${card.id}` }, make('h2', {}, card.title))
        item.style.marginInlineStart = `${card.depth}rem`
        if (active.has(card.id)) item.setAttribute('aria-current', 'true')
        if (card.caption !== null) item.append(make('p', {}, card.caption))
        if (card.wait !== null)
          item.append(make('p', {}, make('code', {}, card.wait), card.section === null ? '' : ` · ${card.section}`))
        if (card.ways.length > 0)
          item.append(
            make(
              'ul',
              { class: 'ways' },
              ...card.ways.map(({ words, toTitle, to }) => {
                const link = make('a', { href: `#state-${to}` }, toTitle)
                link.addEventListener('click', (event) => {
                  event.preventDefault()
                  const target = this.#root.getElementById(`state-${to}`)
                  target?.scrollIntoView({ block: 'nearest' })
                })
                return make('li', {}, `${words} `, link)
              }),
            ),
          )
        return item
      }),
    )
  }

  #scrubber(): HTMLElement {
    const count = this.#shownCount
    const total = this.#lines.length
    const isFollowing = this.#shown === null
    const button = (key: string, label: string, text: string, isOff: boolean, act: () => void): HTMLElement => {
      const made = make('button', { type: 'button', 'data-key': key, 'aria-label': label }, text)
      made.disabled = isOff
      made.addEventListener('click', act)
      return made
    }
    const range = make('input', {
      type: 'range',
      min: '0',
      max: String(total),
      value: String(count),
      'data-key': 'range',
      'aria-label': 'Event of the order',
      'aria-valuetext': `event ${count} of ${total}`,
    })
    range.addEventListener('input', () => this.#seek(Number(range.value)))
    return make(
      'div',
      { class: 'bar' },
      button('back', 'Previous event', '‹', count === 0, () => this.#seek(count - 1)),
      range,
      button('on', 'Next event', '›', count === total, () => this.#seek(count + 1)),
      make(
        'span',
        { class: 'where', role: 'status' },
        `event ${count} of ${total}${isFollowing ? ' · following' : ''}`,
      ),
      ...(isFollowing ? [] : [button('follow', 'Follow the order', 'Follow', false, () => this.#seek(total, true))]),
    )
  }

  #lineText(): HTMLElement {
    const line = this.#lines[this.#shownCount - 1]
    if (line === undefined) return make('p', { class: 'line' }, 'The order was placed.')
    const changes = REGIONS.filter((region) => line.from[region] !== line.to[region]).map(
      (region) => `${line.from[region]} → ${line.to[region]}`,
    )
    return make(
      'p',
      { class: 'line' },
      make('strong', {}, line.event),
      [line.detail, ...changes, line.at, ...(line.causes ?? [])].map((text) => (text ? ` · ${text}` : '')).join(''),
    )
  }
}

if (!customElements.get('plazo-machine')) customElements.define('plazo-machine', PlazoMachine)
