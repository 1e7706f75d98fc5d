// What happened to the order, and what happens next: a line each, with bodies that can be opened. The
// texts come from shops and shoppers, and none becomes markup.
import { useEffect, useRef } from 'hono/jsx/dom'
import type { Timeline as TimelineView } from '../protocol.ts'
import { stepOf } from './checkout.tsx'
import { Button, Entry, Upcoming } from './parts.tsx'
import { seek, state } from './state.tsx'

// Another line says the same.
const REPEATED = /^(?:The code is sent|Saved cards|GET …\/wait)/

export const Timeline = ({ timeline }: { timeline: TimelineView }) => {
  const { at } = state
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const newest = timeline.entries.findLast(({ seq }) => seq !== null)?.seq
  let seq = 0
  const entries = timeline.entries.map((entry) => {
    seq = entry.seq ?? seq
    const selected = seq
    const later = seq > (at ?? seq) ? 'after' : ''
    const look = at !== null && entry.seq === at ? 'current' : later
    const onSelect = () => seek(at === null && selected === newest ? null : selected)
    return { ...entry, look, onSelect }
  })
  const step = stepOf(timeline)
  return (
    <>
      <div class="body upwards">
        <div>
          <ol class="lines" aria-label="What happened" ref={list}>
            {entries
              .filter(({ title }) => !REPEATED.test(title))
              .map((entry) => (
                <Entry key={entry.id} {...entry} />
              ))}
          </ol>
          <h3>What happens next</h3>
          <p>{step?.[0] ?? (timeline.upcoming.length === 0 && 'Nothing: the order has ended.')}</p>
          <ol class="lines" aria-label="What happens next">
            {timeline.upcoming.map((entry) => (
              <Upcoming {...entry} />
            ))}
          </ol>
        </div>
      </div>
      {at !== null && (
        <p class="actions">
          You see an earlier moment. <Button onClick={() => seek(null)}>Follow</Button>
        </p>
      )}
    </>
  )
}
