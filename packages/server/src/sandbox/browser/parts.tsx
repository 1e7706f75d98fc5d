// Small parts that several views of the page share.
import { countdown, orderName, otherDay } from '@plazo/server/internal/browser'
import '@plazo/server/internal/copy-buttons'
import type { Child } from 'hono/jsx'
import type { TimelineEntry } from '../protocol.ts'
import { ANSWERS } from './choices.ts'
import { state, update, urlOf, useNow } from './state.tsx'

type ButtonProps = { readonly children: Child; readonly [attribute: string]: unknown }

export const Button = (props: ButtonProps) => <button type="button" class="other" {...props} />

export const Copyable = ({ text }: { text: string }) => (
  <span>
    <code>{text}</code>{' '}
    <Button data-copy={text} aria-label={`Copy ${text}`}>
      Copy
    </Button>
  </span>
)

export const Card = ({ title, children }: { title: string; children: Child }) => (
  <section class="card" aria-label={title}>
    <header>
      <h2>{title}</h2>
    </header>
    {children}
  </section>
)

/** `order`: its uuid. */
export const OrderLink = ({ order }: { order: string }) => {
  const listed = state.demo?.orders.find(({ order_ref }) => order_ref === order)
  return (
    <a href={urlOf(`?order=${order}`)}>
      <bdi>{listed ? orderName(listed) : order.slice(0, 8)}</bdi>
    </a>
  )
}

type Option = readonly [value: string, title: string, text: string]

type ChoiceProps = {
  readonly legend: string
  readonly options: readonly Option[]
  readonly chosen: string
  readonly onChoose: (value: string) => void
}

/** Of many options three are in sight, and the rest behind “more”. */
export const Choice = ({ legend, options, chosen, onChoose }: ChoiceProps) => {
  const radio = ([value, title, text]: Option) => (
    <label class="choice">
      <input
        type="radio"
        name={legend}
        checked={value === chosen}
        onChange={() => onChoose(value)}
      />
      <span>
        <b>{title}</b> <span class="quiet">{text}</span>
      </span>
    </label>
  )
  const count = options.length > 4 ? 3 : 4
  const rest = options.slice(count)
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.slice(0, count).map(radio)}
      {rest.length > 0 && (
        <details open={rest.some(([value]) => value === chosen)}>
          <summary>{rest.length} more</summary>
          {rest.map(radio)}
        </details>
      )}
    </fieldset>
  )
}

export const AnswerChoice = () => (
  <Choice
    legend="How does the shop answer its IPN?"
    options={ANSWERS}
    chosen={state.answer}
    onChoose={(answer) => update({ answer })}
  />
)

const TONES = { good: 'good', bad: 'wrong', plain: '' }

type EntryProps = Pick<TimelineEntry, 'at' | 'title'> & {
  readonly text?: string
  readonly badge?: string | null
  readonly tone?: TimelineEntry['tone']
  readonly details?: TimelineEntry['details']
  readonly names?: string | null
  /** On a page of several orders. */
  readonly order_ref?: string
  /** `current` or `after`: where the reader is, and what came after it. */
  readonly look?: string
  readonly onSelect?: () => void
}

/** Something that happened or will happen. */
export const Entry = (entry: EntryProps) => {
  const { at, tone = 'plain', details = [], onSelect, order_ref, look } = entry
  const now = new Date(useNow()).toISOString()
  const heading = (
    <>
      <b>{entry.title}</b> {entry.badge && <span class={`pill ${TONES[tone]}`}>{entry.badge}</span>}
      <span class="quiet">{entry.text}</span>
    </>
  )
  return (
    <li class={look} aria-current={look === 'current' && 'step'} title={entry.names ?? ''}>
      <time datetime={at}>{`${otherDay(at, now)} ${at.slice(11, 19)}`.trim()}</time>
      <div>
        {details.length > 0 ? (
          <details {...(onSelect && { onToggle: onSelect })}>
            <summary>{heading}</summary>
            {details.map(({ label, content }) => (
              <div class="code">
                {label} <Button data-copy="">Copy</Button>
                <pre tabindex={0}>{content}</pre>
              </div>
            ))}
          </details>
        ) : onSelect ? (
          <Button class="plain" onClick={onSelect}>
            {heading}
          </Button>
        ) : (
          heading
        )}
        {order_ref && <OrderLink order={order_ref} />}
      </div>
    </li>
  )
}

type UpcomingProps = {
  /** Null: now. */
  readonly at: string | null
  readonly title: string
  readonly text?: string
  readonly order_ref?: string
}

export const Upcoming = ({ at, text = 'now', ...entry }: UpcomingProps) => {
  const now = useNow()
  const millisLeft = at === null ? 0 : Date.parse(at) - now
  const when = millisLeft > 0 ? `in ${countdown(millisLeft)}` : 'now'
  return (
    <Entry
      {...entry}
      at={at ?? new Date(now).toISOString()}
      text={text.replace(/^(?:now|in [\w ]+\w)/, when)}
    />
  )
}
