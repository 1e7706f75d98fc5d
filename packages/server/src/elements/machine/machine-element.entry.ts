// <plazo-machine> shows the statechart in any page, and the way of an order on it: as a picture, or
// as a list for phones and screen readers. It follows an order live, or shows a history that the
// page gives as data.

import type { MachineData } from '../../api/machine/machine-data.ts'
import { findOrderPath, type PathStep } from '../../api/machine/order-path.ts'
import PICTURE_STYLE from '../../api/machine/picture.css'
import { highlightOf } from '../../api/machine/picture.ts'
import type { StateRunProgress } from '../../api/machine/run-progress.ts'
import { emit, make, makeButton, makeShadow, moveByArrows } from '../../http/page/script/dom.ts'
import { followWhileShown, readJson } from '../../http/page/script/requests.ts'
import { REGIONS } from '../../http/page/script/words.ts'
import { makeGuide } from './guide.ts'
import { type Line, makeScrubber } from './scrubber.ts'
import STYLE from './style.css'
import { drawPicture, makeList, reveal } from './views.ts'

/**
 * Attributes: `data` (the URL of the statechart's data; by default next to this script), `src` (a
 * same-origin URL of an order's history, followed live at `src` + `/events`), `view` (`picture` or
 * `list`), `region`, `at` (the number of the line to show), `state` (the state that is selected),
 * `runs` and `order` (see docs/machine/README.md). Property `journal`: a history as data. Events: `plazo-line`,
 * `plazo-state`, `plazo-placed` and `plazo-reached`.
 */
class PlazoMachine extends HTMLElement {
  static readonly observedAttributes = ['src', 'order', 'view', 'region', 'at', 'state']

  readonly #root = makeShadow(this, STYLE + PICTURE_STYLE)
  readonly #trouble = make('p.trouble', { role: 'alert' })
  readonly #tabs = REGIONS.map((region) =>
    makeButton(region, () => this.setAttribute('region', region), {
      role: 'tab',
      id: `tab-${region}`,
      value: region,
      'aria-controls': 'panel',
    }),
  )
  readonly #listButton = makeButton('List', () =>
    this.setAttribute('view', this.#isList ? 'picture' : 'list'),
  )
  readonly #panel = make('div.canvas', {
    id: 'panel',
    role: 'tabpanel',
    tabindex: '0',
    onclick: (event) => this.#selectAt(event),
    onkeydown: (event) => this.#selectAt(event),
  })
  readonly #bar = make(
    'div.bar',
    make('div', { role: 'tablist', 'aria-label': 'Regions of the statechart' }, this.#tabs),
    this.#listButton,
  )
  readonly #scrubber = makeScrubber((count) => this.#seek(count))
  readonly #guide = make('div', { 'aria-live': 'polite' })
  #data: MachineData | null = null
  #lines: readonly Line[] = []
  #stopFollowing = (): void => {}
  /** The states that the panel shows; it scrolls only when they change. */
  #shownStates = ''

  constructor() {
    super()
    // Until the data has come, the page's own pictures are shown.
    this.#root.append(make('slot'))
    moveByArrows(this.#tabs)
  }

  get journal(): readonly Line[] {
    return this.#lines
  }

  set journal(lines: readonly Line[]) {
    this.#lines = lines
    this.#draw()
  }

  connectedCallback(): void {
    void this.#load()
  }

  disconnectedCallback(): void {
    this.#stopFollowing()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || this.#data === null) return
    if (name === 'src' || name === 'order') void this.#follow()
    if (name === 'state') this.#showGuide()
    this.#draw()
  }

  async #load(): Promise<void> {
    this.#data = await readJson<MachineData>(
      this.getAttribute('data') ?? new URL('../sdk/machine.json', import.meta.url).href,
    )
    if (this.#data === null) {
      this.#trouble.textContent =
        'The statechart could not be loaded. Reload the page to try again.'
      return this.#root.replaceChildren(this.#trouble)
    }
    this.#root.replaceChildren(
      this.#trouble,
      this.#bar,
      this.#panel,
      this.#scrubber.element,
      this.#guide,
    )
    this.#showGuide()
    this.#draw()
    await this.#follow()
  }

  async #follow(): Promise<void> {
    this.#stopFollowing()
    const src = this.#source
    if (src === null) return
    const order = await readJson<{ readonly history: readonly Line[] }>(src)
    // The page may have chosen another order meanwhile.
    if (src !== this.#source) return
    this.#trouble.textContent =
      order === null ? 'The order could not be loaded. Reload the page to try again.' : ''
    if (order === null) return
    this.journal = order.history
    this.#stopFollowing = followWhileShown(() => {
      const stream = new EventSource(`${src}/events?after=${this.#lines.at(-1)?.seq ?? 0}`)
      stream.addEventListener('line', ({ data }) => {
        const line: Line = JSON.parse(data)
        if (!this.#lines.some(({ seq }) => seq === line.seq)) this.journal = [...this.#lines, line]
      })
      return stream
    })
  }

  /** The URL of the history that is followed. */
  get #source(): string | null {
    const order = this.getAttribute('order')
    const placed =
      order && `${this.getAttribute('runs')}orders/${encodeURIComponent(order)}/history`
    return this.getAttribute('src') ?? placed
  }

  get #region(): string {
    return this.getAttribute('region') ?? 'checkout'
  }

  get #isList(): boolean {
    const isNarrow = matchMedia('(max-width: 40rem)').matches
    return (this.getAttribute('view') ?? (isNarrow ? 'list' : 'picture')) === 'list'
  }

  /** How many lines are shown. */
  get #count(): number {
    const at = this.getAttribute('at')
    return this.#lines.filter(({ seq }) => at === null || seq <= Number(at)).length
  }

  /** Shows so many lines; null follows the newest. */
  #seek(count: number | null): void {
    const seq = this.#lines[(count ?? this.#lines.length) - 1]?.seq ?? 0
    if (count === null) this.removeAttribute('at')
    else this.setAttribute('at', String(seq))
    emit(this, 'plazo-line', { seq, isFollowing: count === null })
  }

  /** Selects the state in the picture or the list, if the event is about one. */
  #selectAt(event: Event): void {
    if (event instanceof KeyboardEvent && event.key !== 'Enter' && event.key !== ' ') return
    const part = (event.target as Element).closest<HTMLElement>('button, [role=button]') // A part of the panel.
    const id = part?.dataset.state
    if (id === undefined) return
    event.preventDefault()
    emit(this, 'plazo-state', { id })
    this.setAttribute('state', id)
    this.#guide.scrollIntoView({ block: 'nearest' })
    // The guide has taken a part of the panel's height.
    reveal(this.#panel, '.selected')
  }

  #showGuide(): void {
    const card = this.#data?.cards.find(({ id }) => id === this.getAttribute('state'))
    this.#guide.replaceChildren()
    if (card === undefined) return
    let placed: string | null = null
    const onProgress = ({ status, order_ref, event }: StateRunProgress): void => {
      if (order_ref === null) return
      const trigger = card.guide?.trigger
      if (order_ref !== placed && emit(this, 'plazo-placed', { order_ref, trigger })) {
        this.removeAttribute('at')
        this.setAttribute('order', order_ref)
      }
      placed = order_ref
      if (status !== 'reached') return
      const isShownHere = emit(this, 'plazo-reached', { order_ref, event, state: card.id })
      if (!isShownHere || event === null) return
      this.setAttribute('at', String(event))
      emit(this, 'plazo-line', { seq: event, isFollowing: false })
    }
    this.#guide.append(makeGuide(card, this.getAttribute('runs'), onProgress))
  }

  #draw(): void {
    if (this.#data === null) return
    const count = this.#count
    const steps = findOrderPath(this.#data.map, this.#lines).slice(0, count)
    this.#drawTabs(count)
    this.#drawPanel(this.#data, steps)
    const causes = steps.at(-1)?.causes ?? []
    this.#scrubber.draw(this.#lines, count, causes, !this.hasAttribute('at'))
  }

  #drawTabs(count: number): void {
    for (const tab of this.#tabs) {
      const region = tab.value
      const state = this.#lines[count - 1]?.to[region] ?? this.#lines[0]?.from[region]
      const isSelected = region === this.#region
      tab.textContent = state === undefined ? region : `${region}: ${state}`
      tab.setAttribute('aria-selected', String(isSelected))
      tab.tabIndex = isSelected ? 0 : -1
    }
    this.#listButton.setAttribute('aria-pressed', String(this.#isList))
  }

  #drawPanel({ pictures, cards }: MachineData, steps: readonly PathStep[]): void {
    const region = this.#region
    const highlight = highlightOf(steps)
    const picture = pictures.find((each) => each.region === region)
    this.#panel.setAttribute('aria-labelledby', `tab-${region}`)
    if (picture === undefined) return
    const selected = this.getAttribute('state')
    const regionCards = cards.filter((card) => card.region === region)
    const focused = this.#panel.querySelector<HTMLElement>('[data-state]:focus')?.dataset.state
    if (this.#isList) this.#panel.replaceChildren(makeList(regionCards, highlight, selected))
    else drawPicture(this.#panel, picture, highlight, selected)
    // Drawing has replaced the state that had the focus.
    if (focused !== undefined)
      this.#panel
        .querySelector<HTMLElement>(`[data-state="${CSS.escape(focused)}"]`)
        ?.focus({ preventScroll: true })
    const states = `${region} ${this.#isList} ${[...highlight.active].join(' ')}`
    if (states !== this.#shownStates) reveal(this.#panel, '.active')
    this.#shownStates = states
  }
}

if (!customElements.get('plazo-machine')) customElements.define('plazo-machine', PlazoMachine)
