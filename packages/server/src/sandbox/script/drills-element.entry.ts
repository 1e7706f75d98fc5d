// <plazo-drills src="…/drills"> shows a merchant that their webhooks go wrong on purpose: each
// drill with its remaining time, and a button that ends it. It is hidden while none is set.
import { make, makeButton, makeShadow } from '../../http/page/script/dom.ts'
import { countdown } from '../../http/page/script/formats.ts'
import { readJson } from '../../http/page/script/requests.ts'
import { faultTitle } from '../webhooks/fault-texts.ts'
import type { Drill, Drills } from '../webhooks/protocol.ts'
import STYLE from './drills.css'

const POLL_MILLIS = 5_000

const matchOf = ({ event, order_ref }: Drill): string =>
  [event ?? 'any event', order_ref === null ? 'any order' : `order ${order_ref.slice(0, 8)}`].join(
    ', ',
  )

const extentOf = ({ count, share, touched }: Drill): string =>
  share === null
    ? `${touched} of ${count} touched`
    : `${Math.round(share * 100)} % of the attempts, ${touched} touched`

/** Attribute: `src`, the URL of the merchant's drills. */
class PlazoDrills extends HTMLElement {
  readonly #root = makeShadow(this, STYLE)
  readonly #list = make('ul')
  #drills: readonly Drill[] | null = null
  #timers: readonly number[] = []

  connectedCallback(): void {
    // What the server wrote, until the drills are read.
    this.#root.replaceChildren(make('slot'))
    this.#timers = [
      setInterval(() => this.#showTimes(), 1_000),
      setInterval(() => {
        if (!document.hidden) void this.refresh()
      }, POLL_MILLIS),
    ]
    void this.refresh()
  }

  disconnectedCallback(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** Reads the drills again. */
  refresh(): Promise<void> {
    return this.#call('')
  }

  async #call(query: string, init: RequestInit = {}): Promise<void> {
    const src = this.getAttribute('src') ?? ''
    const url = query === '' ? src : `${src}${src.includes('?') ? '&' : '?'}${query}`
    const answer = await readJson<Drills>(url, init)
    if (answer !== null) this.#draw(answer.drills)
  }

  #draw(drills: readonly Drill[]): void {
    // The same rows stay, so that the focus does too.
    if (JSON.stringify(drills) !== JSON.stringify(this.#drills)) {
      const hadFocus = this.#root.activeElement !== null
      this.#list.replaceChildren(...drills.map((drill) => this.#rowOf(drill)))
      if (this.#drills === null) {
        this.#root.replaceChildren(this.#list)
        this.replaceChildren()
      }
      this.#drills = drills
      if (hadFocus) this.#list.querySelector('button')?.focus()
    }
    this.hidden = drills.length === 0
    this.#showTimes()
  }

  #rowOf(drill: Drill): HTMLElement {
    const end = makeButton(
      'End',
      () => void this.#call(`id=${encodeURIComponent(drill.id)}`, { method: 'DELETE' }),
      {
        'aria-label': `End the drill ${faultTitle(drill.fault)}`,
      },
    )
    return make('li', {}, [
      make('strong', {}, `Drill: ${faultTitle(drill.fault)}`),
      make('span', { class: 'quiet' }, `${drill.fault} · ${matchOf(drill)} · ${extentOf(drill)}`),
      make('time', { class: 'quiet', datetime: drill.until }),
      end,
    ])
  }

  /** A drill ends by real time, which is this browser's too. */
  #showTimes(): void {
    for (const time of this.#list.querySelectorAll('time')) {
      const millisLeft = Date.parse(time.dateTime) - Date.now()
      time.textContent = millisLeft > 0 ? `ends in ${countdown(millisLeft)}` : 'has ended'
    }
  }
}

customElements.define('plazo-drills', PlazoDrills)
