// Where a message of HTTP ends on a bare socket, for peers that cost little next to the server under test.

/** Where one complete message ends, or -1 if it is incomplete. Messages here are never chunked. */
export const endOfMessage = (received: string): number => {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return -1
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? '0'
  const end = head + 4 + Number(length)
  return received.length >= end ? end : -1
}
