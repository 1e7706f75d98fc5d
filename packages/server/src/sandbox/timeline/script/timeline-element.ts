// <plazo-timeline src="…/timeline"> shows what happened to an order in the sandbox, and what will
// happen next. It follows the order live, until the reader goes back to an earlier event. All texts
// come from shops and shoppers, and none becomes markup.
import {
  emit,
  followWhileShown,
  make,
  makeButton,
  makeShadow,
  setAttributes,
} from '@plazo/server/internal/browser'
import type { Timeline } from '../../protocol.ts'
import { makeEntry, makeUpcoming, showTime } from './entry.ts'
import STYLE from './style.css'

/** The order's newest step at the time of this entry; 0 before the first. */
const seqOf = (entry: HTMLElement): number => Number(entry.dataset.seq)

/**
 * Attributes: `src` (the URL of a timeline, followed at `src` + `/events`), `at` (the number of the
 * step that is shown; without it, the newest). Events, which bubble: `plazo-timeline` with the
 * timeline in `detail`, whenever it was read; `plazo-seek` when the reader selects an entry, with
 * the number of its step in `detail.seq`, or null to follow the newest. The arrow keys go from
 * entry to entry.
 */
class PlazoTimeline extends HTMLElement {
  static readonly observedAttributes = ['src', 'at']

  readonly #root = makeShadow(this, STYLE)
  readonly #list = make('ol', { 'aria-label': 'What happened' })
  readonly #nextTitle = make('h3', {}, 'What happens next')
  readonly #next = make('ol', { 'aria-label': 'What happens next' })
  readonly #back = make('p', { class: 'back' }, [
    'You see an earlier moment. ',
    makeButton('Follow', () => this.#seek(null)),
  ])
  /** By the ids of the entries. */
  readonly #items = new Map<string, HTMLElement>()
  /** The number of the newest step. */
  #newest = 0
  #upcoming: Timeline['upcoming'] = []
  /** Milliseconds that domain time is ahead of this browser's clock. */
  #ahead = 0
  #stopFollowing = (): void => {}
  #ticking: number | undefined

  constructor() {
    super()
    this.#list.addEventListener('keydown', (event) => this.#step(event))
  }

  connectedCallback(): void {
    this.#ticking = setInterval(() => this.#drawNext(), 1_000)
    this.#follow()
  }

  disconnectedCallback(): void {
    clearInterval(this.#ticking)
    this.#stopFollowing()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return
    if (name === 'src') this.#follow()
    else this.#scrollTo(this.#mark())
  }

  /** Reads the timeline again. */
  async refresh(): Promise<void> {
    const src = this.getAttribute('src')
    if (src === null) return
    const answer = await fetch(src, { headers: { accept: 'application/json' } }).catch(() => null)
    if (answer === null || src !== this.getAttribute('src')) return
    if (answer.ok) this.#draw((await answer.json()) as Timeline)
    else
      this.#root.replaceChildren(make('p', { class: 'nothing' }, 'There is no such order of demo.'))
  }

  #follow(): void {
    this.#stopFollowing()
    this.#items.clear()
    this.#list.replaceChildren()
    this.#upcoming = []
    const src = this.getAttribute('src')
    if (src === null) return
    void this.refresh()
    this.#stopFollowing = followWhileShown(() => {
      const stream = new EventSource(`${src}/events`)
      stream.addEventListener('timeline', () => void this.refresh())
      return stream
    })
  }

  #draw(timeline: Timeline): void {
    const isAtEnd = this.scrollHeight - this.scrollTop - this.clientHeight < 80
    this.#ahead = Date.parse(timeline.now) - Date.now()
    this.#upcoming = timeline.upcoming
    let seq = 0
    timeline.entries.forEach((entry, index) => {
      seq = entry.seq ?? seq
      const element: HTMLElement =
        this.#items.get(entry.id) ?? makeEntry(entry, () => this.#select(element))
      element.dataset.seq = String(seq)
      const time = element.querySelector('time')
      if (time !== null) showTime(time, timeline.now)
      this.#items.set(entry.id, element)
      if (this.#list.children[index] !== element)
        this.#list.insertBefore(element, this.#list.children[index] ?? null)
    })
    this.#newest = seq
    // If the list were put in again, the entry that has the focus would lose it.
    if (!this.#list.isConnected)
      this.#root.replaceChildren(this.#list, this.#nextTitle, this.#next, this.#back)
    this.#drawNext()
    this.#mark()
    if (isAtEnd && !this.hasAttribute('at')) this.scrollTop = this.scrollHeight
    emit(this, 'plazo-timeline', timeline)
  }

  /**
   * Keeps following if the entry belongs to the newest step. Otherwise shows the step to which the
   * entry belongs.
   */
  #select(entry: HTMLElement): void {
    const seq = seqOf(entry)
    const isFollowing = !this.hasAttribute('at') && seq === this.#newest
    this.#seek(isFollowing ? null : seq)
  }

  #seek(seq: number | null): void {
    emit(this, 'plazo-seek', { seq })
  }

  #step(event: KeyboardEvent): void {
    const controls = [...this.#list.querySelectorAll<HTMLElement>('[data-control]')]
    const index = controls.indexOf(this.#root.activeElement as HTMLElement)
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: controls.length - 1 }[
      event.key
    ]
    const control = index < 0 || target === undefined ? undefined : controls[target]
    if (control === undefined) return
    event.preventDefault()
    control.focus()
    const entry = control.closest<HTMLElement>('.entry')
    if (entry !== null) this.#select(entry)
  }

  #drawNext(): void {
    if (this.#items.size === 0) return
    const now = Date.now() + this.#ahead
    this.#next.replaceChildren(
      ...this.#upcoming.map((entry) => makeUpcoming(entry, now)),
      ...(this.#upcoming.length > 0
        ? []
        : [make('li', { class: 'nothing' }, 'Nothing: the order waits for nobody.')]),
    )
  }

  /** Marks the step that is shown, and all that came after it. */
  #mark(): HTMLElement | undefined {
    const at = this.hasAttribute('at') ? Number(this.getAttribute('at')) : null
    const items = [...this.#items.values()]
    const current = items.findLast((item) => seqOf(item) === at && item.matches('.step'))
    for (const item of items) {
      item.classList.toggle('current', item === current)
      item.classList.toggle('after', at !== null && seqOf(item) > at)
      setAttributes(item, { 'aria-current': item === current ? 'step' : null })
    }
    this.#back.hidden = at === null
    return current
  }

  #scrollTo(element: HTMLElement | undefined): void {
    if (element === undefined) {
      if (!this.hasAttribute('at')) this.scrollTop = this.scrollHeight
      return
    }
    const [frame, box] = [this.getBoundingClientRect(), element.getBoundingClientRect()]
    if (box.top < frame.top || box.bottom > frame.bottom - 48)
      this.scrollTop += box.top - frame.top - this.clientHeight / 3
  }
}

customElements.define('plazo-timeline', PlazoTimeline)
