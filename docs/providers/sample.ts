// A provider for all five ports, to read and to start from. It keeps everything in memory and
// decides by the amount. Settings: PORT; SELF_URL, its address for shoppers if it is behind a
// proxy; PORTS, as `plazo keys list --ports --json` prints it.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

type Json = Readonly<Record<string, unknown>>
type Question = {
  readonly ask: string
  readonly id: string
  readonly callback_url: string
  readonly amount: { readonly value: number }
  readonly under_evaluation: boolean
  readonly to: string
  readonly text: string
  readonly payment: string
  readonly owner: Json
  readonly card: Json
}

const port = Number(process.env.PORT ?? 8090)
const ownUrl = process.env.SELF_URL ?? `http://localhost:${port}`
type Port = { readonly secrets: readonly string[] }
const ports: Readonly<Record<string, Port>> = JSON.parse(process.env.PORTS ?? '{}')

const signature = (secret: string, id: string, timestamp: string, body: string): string =>
  `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** True if it is signed by one of the port's secrets, at most five minutes ago or ahead. */
const isSigned = (name: string, headers: Headers, body: string): boolean => {
  const header = (of: string): string => headers.get(`webhook-${of}`) ?? ''
  const [id, timestamp, given] = [header('id'), header('timestamp'), header('signature').split(' ')]
  const isOfNow = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  const expected = (ports[name]?.secrets ?? []).map((secret) =>
    signature(secret, id, timestamp, body),
  )
  return isOfNow && expected.some((right) => given.some((each) => isSame(each, right)))
}

/**
 * Sends the answer to a question to `callback_url`. Repeats it each second until plazo accepts it,
 * 20 times at most.
 */
const callBack = async (
  name: string,
  question: Question,
  answer: Json,
  triesLeft = 20,
): Promise<void> => {
  const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
  const body = JSON.stringify({ id: question.id, ...answer })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature(ports[name]?.secrets[0] ?? '', id, timestamp, body),
  }
  const response = await fetch(question.callback_url, { method: 'POST', headers, body }).catch(
    () => null,
  )
  console.log(
    `called back ${question.id} ${JSON.stringify(answer)}: ${response?.status ?? 'no answer'}`,
  )
  if (response?.status !== 200 && triesLeft > 0)
    setTimeout(() => callBack(name, question, answer, triesLeft - 1), 1000)
}

const answers = new Map<string, Json>() // by the question's id: a repeated question gets the same answer
const deciding = new Set<string>()
const pages = new Map<string, Question>() // by the token in a page's address
const cards = new Map<string, Json[]>() // by their owner

const DONE: Json = { done: true }

/**
 * Decides after a moment, and then calls back. If plazo asks again before that arrives, it gets the
 * answer too.
 */
const decideLater = (name: string, question: Question, answer: Json): null => {
  if (deciding.has(question.id)) return null
  deciding.add(question.id)
  setTimeout(() => {
    answers.set(question.id, answer)
    callBack(name, question, answer)
  }, 200)
  return null
}

const pageFor = (kind: 'pay' | 'verify', question: Question): Json => {
  const token = randomUUID()
  pages.set(token, question)
  return { url: `${ownUrl}/${kind}/${token}` }
}

const cardsOf = (owner: Json): Json[] => cards.get(JSON.stringify(owner)) ?? []

/** The answer to each question; null: not yet. */
const DECISIONS: Readonly<Record<string, (question: Question) => Json | null>> = {
  'screening.screen': (question) => {
    const { value } = question.amount
    return decideLater('screening', question, {
      outcome: value > 500_000 ? 'review' : value > 300_000 ? 'identity' : 'approved',
    })
  },
  'sms.send': ({ to, text }) => {
    console.log(`sms ${to}: ${text}`)
    return DONE
  },
  'identity.open': (question) => pageFor('verify', question),
  'payment.open': (question) => pageFor('pay', question),
  'payment.void': () => DONE,
  // A payment may be refunded in several parts, each with an id of its own. A repeated id gets its
  // first answer, below.
  'payment.refund': ({ payment, amount }) => {
    console.log(`refunded ${payment} ${amount.value}`)
    return DONE
  },
  'payment.keep': ({ owner, card }) => {
    const others = cardsOf(owner).filter(({ token }) => token !== card.token)
    cards.set(JSON.stringify(owner), [...others, card])
    return DONE
  },
  'payment.recall': ({ owner }) => ({ cards: cardsOf(owner) }),
  'risk.assess': (question) => {
    if (question.amount.value <= 200_000) return { level: 'low_risk' }
    return question.under_evaluation
      ? decideLater('risk', question, { level: 'high_risk' })
      : { level: 'under_evaluation' }
  },
  'risk.watch': () => ({ cancel_in_seconds: null }),
}

const page = (title: string, ...buttons: readonly string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><form method="post">${buttons
    .map((value) => `<button name="result" value="${value}">${value}</button>`)
    .join('')}</form>`

const CARD = {
  token: 'card-1111',
  brand: 'visa',
  last_four: '1111',
  expiry_month_year: '12/40',
  masked_pan: '411111******1111',
}

const app = new Hono()
  .get('/pay/:token', (c) => c.html(page('Pay', 'succeeded', 'failed')))
  .post('/pay/:token', async (c) => {
    const question = pages.get(c.req.param('token'))
    if (question === undefined) return c.notFound()
    const { result, keep } = await c.req.parseBody()
    await callBack(
      'payment',
      question,
      result === 'succeeded'
        ? { status: result, card: CARD, keep_card: keep === 'on' }
        : { status: 'failed' },
    )
    return c.html(page('Thank you'))
  })
  .get('/verify/:token', (c) => c.html(page('Show your documents', 'VERIFIED', 'FAILED', 'ERROR')))
  .post('/verify/:token', async (c) => {
    const question = pages.get(c.req.param('token'))
    if (question === undefined) return c.notFound()
    const { result } = await c.req.parseBody()
    await callBack('identity', question, { status: result })
    return c.html(page('Thank you'))
  })
  .post('/:port', async (c) => {
    const body = await c.req.text()
    if (!isSigned(c.req.param('port'), c.req.raw.headers, body))
      return c.json({ error: 'not signed' }, 401)
    const question: Question = JSON.parse(body)
    const answer = answers.get(question.id) ?? DECISIONS[question.ask]?.(question) ?? null
    if (answer === null) return c.json({}, 202)
    answers.set(question.id, answer)
    return c.json(answer)
  })

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) =>
  console.log(`listening on ${address.port}`),
)
