// The client app of the sandbox: the clock in the bar, and below it the view that the page's path names.
import { countdown, readableInstant } from '@plazo/server/internal/browser'
import type { FC } from 'hono/jsx'
import { render } from 'hono/jsx/dom'
import { Button } from './parts.tsx'
import { FrontPage } from './shop.tsx'
import { moveClock, start, urlOf, useNow, useSandbox, view } from './state.tsx'
import { Clock, Deliveries, Messages, TestData } from './tools.tsx'

const Bar = () => {
  const { demo, order, timeline, move } = useSandbox()
  const now = useNow()
  const own = timeline?.upcoming.find(({ at }) => Date.parse(at) > now)?.at
  const dueAt = order === null ? demo?.next_due_at : own
  const millisLeft = dueAt ? Date.parse(dueAt) - now : null
  const whose = order === null ? 'Any order’s timer' : 'This order’s timer'
  const button = (label: string, name: 'next' | number, seconds: number | null) => (
    <Button aria-busy={move === name && 'true'} onClick={() => moveClock(name, seconds)}>
      {label}
    </Button>
  )
  return (
    <>
      <a href={urlOf('sandbox/clock')}>
        <time>{readableInstant(new Date(now).toISOString())} UTC</time>
      </a>
      {millisLeft === null ? (
        <Button disabled>No timer</Button>
      ) : (
        button(
          `${whose} · ${countdown(millisLeft)}`,
          'next',
          // The state has seconds, so this one is past the timer.
          order === null ? null : millisLeft / 1_000 + 1,
        )
      )}
      {button('+1 h', 3_600, 3_600)}
      {button('+1 week', 604_800, 604_800)}
    </>
  )
}

const VIEWS: Readonly<Record<string, FC>> = {
  'sandbox/triggers': TestData,
  'sandbox/messages': Messages,
  'sandbox/clock': Clock,
  'sandbox/webhooks': Deliveries,
  'sandbox/demo/webhooks': Deliveries,
}

const App = () => {
  const { news, isWrong } = useSandbox()
  const View = VIEWS[view] ?? FrontPage
  return (
    <>
      <View />
      <p id="news" role="status" class={isWrong ? 'notice wrong' : 'notice'}>
        {news}
      </p>
    </>
  )
}

// The page has both.
render(<Bar />, document.getElementById('clock') as HTMLElement)
render(<App />, document.getElementById('view') as HTMLElement)
start()
