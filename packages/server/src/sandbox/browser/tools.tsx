// The smaller views: test data, SMS, deliveries and clock. Their headings are in the page already.
import { firedWords, readJson } from '@plazo/server/internal/browser'
import { useEffect, useState } from 'hono/jsx/dom'
import { DEMO_PEOPLE } from '../demo-people.ts'
import type { SmsSent } from '../protocol.ts'
import { CARDS } from './choices.ts'
import { AnswerChoice, Card, Copyable, Entry, Upcoming } from './parts.tsx'
import { shopUrls, state, urlOf } from './state.tsx'

export const TestData = () => (
  <>
    <Card title="Test persons">
      <ul class="rows">
        {DEMO_PEOPLE.map(({ surnames, name, outcome }) => (
          <li>
            <a href={urlOf(`?person=${encodeURIComponent(surnames)}`)}>Buy as {name}</a>
            <span>
              {outcome}. Surnames: <Copyable text={surnames} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
    <Card title="SMS code and cards">
      <ul class="rows">
        <li>
          <a href={urlOf('sandbox/messages')}>any SMS code</a>
          <Copyable text="12345" />
        </li>
        {CARDS.map(([number, note]) => (
          <li>
            <span>{note}</span>
            <Copyable text={number} />
          </li>
        ))}
      </ul>
    </Card>
  </>
)

const named = new URLSearchParams(location.search).get('order_ref')

export const Messages = () => {
  const { demo } = state
  const [ofOrder, setOfOrder] = useState<readonly SmsSent[] | null>([])
  useEffect(() => {
    if (named !== null) void readJson<readonly SmsSent[]>(location.href).then(setOfOrder)
  }, [demo])
  const messages =
    named === null ? demo?.messages : ofOrder?.map((sms) => ({ ...sms, order_ref: named }))
  return (
    <Card title="The newest first">
      <ol class="lines">
        {messages?.map(({ to, code, ...sms }) => (
          <Entry {...sms} title={`SMS to ${to}`} badge={code} />
        ))}
      </ol>
    </Card>
  )
}

export const Clock = () => (
  <>
    {state.fired && (
      <Card title="What happened">
        <ol class="lines">
          {state.fired.map(({ what, ...job }) => (
            <Entry {...job} title={firedWords(what)} />
          ))}
        </ol>
      </Card>
    )}
    <Card title="What comes next">
      <ol class="lines">
        {state.demo?.upcoming.map((entry) => (
          <Upcoming {...entry} />
        ))}
      </ol>
    </Card>
  </>
)

export const Deliveries = () => {
  const { notify_url, events_url } = shopUrls(state.deliveries?.merchant_ref)
  return (
    <>
      <Card title="The demo shop receives for you">
        <AnswerChoice />
        <dl>
          <dt>notify_url</dt>
          <dd>
            <Copyable text={notify_url} />
          </dd>
          <dt>events_webhook.url</dt>
          <dd>
            <Copyable text={events_url} />
          </dd>
        </dl>
      </Card>
      <Card title="The newest 50 deliveries, attempt by attempt">
        <ol class="lines">
          {state.deliveries?.entries.map((entry) => (
            <Entry key={entry.id} {...entry} />
          ))}
        </ol>
      </Card>
    </>
  )
}
