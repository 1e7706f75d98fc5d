// A receiver of the sandbox answers as it always does. The request and its response are also kept, for the merchant's inbox.
import type { ReceivedWebhook } from './webhook-inbox.ts'

type Receive = (request: Request) => Promise<Response>

// One byte more than is kept, so that the inbox sees that a body was longer.
const CAPTURED_BYTES = 64 * 1024 + 1

/** `drillOf`: the fault drill that touched the delivery with this `Webhook-Id`, or null. */
export const keepWebhooks =
  (
    receive: Receive,
    endpoint: ReceivedWebhook['endpoint'],
    keep: (received: ReceivedWebhook) => void,
    drillOf: (webhookId: string) => string | null,
  ): Receive =>
  async (request) => {
    const captured = captureBody(request)
    const response = await receive(captured.request)
    keep({
      endpoint,
      signature: signatureOf(request, response, captured.isComplete()),
      headers: Object.fromEntries(request.headers),
      body: captured.text(),
      status: response.status,
      response: response.body === null ? '' : await response.clone().text(),
      drill: drillOf(request.headers.get('webhook-id') ?? ''),
    })
    return response
  }

/** The receiver reads the body as it comes, and refuses one that is too large or broken as ever. */
const captureBody = (request: Request) => {
  const { url, method, headers, body } = request
  const chunks: Uint8Array[] = []
  let size = 0
  let isComplete = body === null
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (size < CAPTURED_BYTES) chunks.push(chunk.slice(0, CAPTURED_BYTES - size))
      size += chunk.length
      controller.enqueue(chunk)
    },
    flush: () => {
      isComplete = true
    },
  })
  const init = { method, headers, body: body?.pipeThrough(tap) ?? null, duplex: 'half' } as const
  return {
    request: new Request(url, init),
    text: () => new TextDecoder().decode(Buffer.concat(chunks)),
    isComplete: () => isComplete,
  }
}

/** The receiver checks the signature first, and says so with 401. It checks none of a body that it has not read to its end. */
const signatureOf = ({ headers }: Request, { status }: Response, isComplete: boolean): ReceivedWebhook['signature'] => {
  if (status !== 401) return isComplete && status !== 413 && status !== 500 ? 'right' : 'unchecked'
  return [...headers.keys()].some((name) => name.endsWith('-signature')) ? 'wrong' : 'missing'
}
