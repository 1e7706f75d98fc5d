// The requests that the rival sends to the merchant: how they are signed, and which answers count.
import { createHmac } from 'node:crypto'

type Fields = Readonly<Record<string, unknown>>

export const SECRET = 'fedcba9876543210fedcba9876543210'

export const isAccepted = (event: string, status: number, body: Fields): boolean => {
  if (event === 'ipn') return (status >= 200 && status < 300) || [409, 410].includes(status)
  if (event !== 'cancel') return [200, 201, 202, 302, 307, 404, 501].includes(status)
  return status === 200 && ['cancelled', 'toolate', 'retry'].includes(String(body.result))
}

/** `signed`: the text of the older signature, which is the body unless a fault is planted. */
export const signedHeaders = (
  id: string,
  timestamp: number,
  body: string,
  signed: string,
  isJson: boolean,
) => {
  const standard = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`)
  return {
    'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    accept: 'application/json',
    'user-agent': 'Service-Event/1.0',
    'x-service-signature': createHmac('sha256', SECRET).update(signed).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': `v1,${standard.digest('base64')}`,
  }
}
