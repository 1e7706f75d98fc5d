// <plazo-timeline src="…/timeline"> shows what happened to an order in the sandbox, and what will happen next. It follows the order
// live. All texts come from shops and shoppers, and none becomes markup.
import type { Timeline, TimelineEntry } from '@plazo/core'
import { icon, make } from './dom.ts'
import { countdown } from './instants.ts'
import { TIMELINE_STYLE } from './timeline-style.ts'

const ICONS: { readonly [type in TimelineEntry['type'] | 'later']: string } = {
  request: 'M4 9h13l-4-4M20 15H7l4 4',
  webhook: 'M5 12h14M13 6l6 6-6 6',
  provider: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  sms: 'M4 5h16v11H10l-5 4v-4H4z',
  step: 'M12 8a4 4 0 100 8 4 4 0 000-8',
  later: 'M12 4a8 8 0 100 16 8 8 0 000-16M12 8v4l3 2',
}

type Child = Node | string | null

const clockTime = (at: string): string => at.slice(11, 19)

const copyButton = (text: string): HTMLElement => {
  const button = make('button', { type: 'button', class: 'copy' }, 'Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text).then(
      () => {
        button.textContent = 'Copied'
      },
      () => {
        button.textContent = 'Not allowed'
      },
    )
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  return button
}

const partOf = ({ label, content }: TimelineEntry['details'][number]): HTMLElement =>
  label === 'Signature'
    ? make('p', { class: content.startsWith('valid') ? 'valid' : 'wrong' }, `Signature ${content}`)
    : make(
        'div',
        { class: 'part' },
        make('div', { class: 'part-head' }, label, copyButton(content)),
        make('pre', { tabindex: '0' }, content),
      )

const fold = (heading: readonly Child[], details: TimelineEntry['details']): HTMLElement =>
  make('details', {}, make('summary', {}, ...heading), ...details.map(partOf))

/**
 * Attributes: `src` (the URL of a timeline, followed at `src` + `/events`), `at` (the number of a step, which is marked and
 * scrolled to). Events, which bubble: `plazo-timeline` with the timeline in `detail`, whenever it was read; `plazo-seek` with
 * `detail.seq`, when a step is selected.
 */
class PlazoTimeline extends HTMLElement {
  static readonly observedAttributes = ['src', 'at']

  readonly #root = this.attachShadow({ mode: 'open' })
  readonly #list = make('ol', { 'aria-label': 'What happened' })
  readonly #next = make('ol', { 'aria-label': 'What happens next' })
  readonly #items = new Map<string, HTMLElement>()
  #upcoming: Timeline['upcoming'] = []
  /** Milliseconds that domain time is ahead of this browser's clock. */
  #ahead = 0
  #stream: EventSource | null = null
  #ticking: number | undefined

  connectedCallback(): void {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(TIMELINE_STYLE)
    this.#root.adoptedStyleSheets = [sheet]
    this.#ticking = setInterval(() => this.#drawNext(), 1_000)
    this.#follow()
  }

  disconnectedCallback(): void {
    clearInterval(this.#ticking)
    this.#stream?.close()
    this.#stream = null
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return
    if (name === 'src') this.#follow()
    else this.#mark()
  }

  /** Reads the timeline again. */
  async refresh(): Promise<void> {
    const src = this.getAttribute('src')
    if (src === null) return
    const answer = await fetch(src, { headers: { accept: 'application/json' } }).catch(() => null)
    if (answer === null || src !== this.getAttribute('src')) return
    if (answer.ok) this.#draw((await answer.json()) as Timeline)
    else this.#root.replaceChildren(make('p', { class: 'nothing' }, 'There is no such order of demo.'))
  }

  #follow(): void {
    this.#stream?.close()
    this.#items.clear()
    this.#list.replaceChildren()
    this.#upcoming = []
    const src = this.getAttribute('src')
    if (src === null) return
    void this.refresh()
    this.#stream = new EventSource(`${src}/events`)
    this.#stream.addEventListener('timeline', () => void this.refresh())
  }

  #draw(timeline: Timeline): void {
    const isFollowing = this.scrollHeight - this.scrollTop - this.clientHeight < 80
    this.#ahead = Date.parse(timeline.now) - Date.now()
    this.#upcoming = timeline.upcoming
    timeline.entries.forEach((entry, index) => {
      const item = this.#items.get(entry.id) ?? this.#itemOf(entry)
      this.#items.set(entry.id, item)
      if (this.#list.children[index] !== item) this.#list.insertBefore(item, this.#list.children[index] ?? null)
    })
    this.#root.replaceChildren(this.#list, make('h3', {}, 'What happens next'), this.#next)
    this.#drawNext()
    this.#mark()
    if (isFollowing) this.scrollTop = this.scrollHeight
    this.dispatchEvent(new CustomEvent('plazo-timeline', { detail: timeline, bubbles: true }))
  }

  #itemOf(entry: TimelineEntry): HTMLElement {
    const { at, type, tone, title, text, badge, details, seq } = entry
    const heading = [
      make('span', { class: 'title' }, title),
      badge === null ? null : ' ',
      badge === null ? null : make('span', { class: 'badge' }, badge),
      text === '' ? null : make('span', { class: 'text' }, text),
    ]
    return make(
      'li',
      { class: `entry ${type} ${tone}`, ...(seq === null ? {} : { 'data-seq': String(seq) }) },
      make('time', { datetime: at }, clockTime(at)),
      make('span', { class: 'mark' }, icon(ICONS[type])),
      make(
        'div',
        {},
        ...(seq !== null
          ? [this.#seekButton(seq, heading)]
          : details.length === 0
            ? heading
            : [fold(heading, details)]),
      ),
    )
  }

  #seekButton(seq: number, heading: readonly Child[]): HTMLElement {
    const button = make('button', { type: 'button', class: 'seek' }, ...heading)
    button.addEventListener('click', () =>
      this.dispatchEvent(new CustomEvent('plazo-seek', { detail: { seq }, bubbles: true })),
    )
    return button
  }

  #drawNext(): void {
    if (this.#items.size === 0) return
    const now = Date.now() + this.#ahead
    this.#next.replaceChildren(
      ...this.#upcoming.map(({ at, title, text }) => {
        const left = Date.parse(at) - now
        const when = text.startsWith('stuck') ? text : left <= 0 ? 'now' : `in ${countdown(left)}`
        return make(
          'li',
          { class: 'entry later' },
          make('time', { datetime: at }, left < 86_400_000 ? clockTime(at) : at.slice(5, 10)),
          make('span', { class: 'mark' }, icon(ICONS.later)),
          make('div', {}, make('span', { class: 'title' }, title), make('p', { class: 'text' }, when)),
        )
      }),
      ...(this.#upcoming.length > 0 ? [] : [make('li', { class: 'nothing' }, 'Nothing: the order waits for nobody.')]),
    )
  }

  #mark(): void {
    const at = this.getAttribute('at')
    for (const item of this.#items.values()) {
      const isCurrent = at !== null && item.dataset.seq === at
      item.classList.toggle('current', isCurrent)
      if (isCurrent) this.scrollTop = item.offsetTop - this.offsetTop - this.clientHeight / 3
    }
  }
}

customElements.define('plazo-timeline', PlazoTimeline)
