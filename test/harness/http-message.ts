// Finds complete HTTP messages in raw text, for clients and servers that cost little next to the server under test, or that answer
// byte by byte.

/** Where one complete message ends, or -1 if it is incomplete. Messages here are never chunked. */
export const endOfMessage = (received: string): number => {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return -1
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? '0'
  const end = head + 4 + Number(length)
  return received.length >= end ? end : -1
}

/** The path and the body of a complete request. */
export const readMessage = (text: string, end: number): { readonly path: string; readonly body: string } => ({
  path: text.split(' ', 2)[1] ?? '',
  body: text.slice(text.indexOf('\r\n\r\n') + 4, end),
})
