// Sends live updates to browsers as server-sent events. A page may follow an order for hours. It
// must not fill a server's memory, outlive its reader's access, or keep a server from stopping.
// After a break, it resumes after its last event.
import type { CancelableTimer, Timers } from '@plazo/adapters/system'

/** `id`: grows with each event, and is where a reader resumes. */
export type LiveEvent = { readonly id: number; readonly type: string; readonly data: unknown }

export type LiveSource = {
  /**
   * The events after this id, oldest first. Null: they cannot be read now, and are read again
   * later.
   */
  readonly readAfter: (id: number) => Promise<readonly LiveEvent[] | null>
  /** True if the reader may still see the events. */
  readonly mayRead: () => Promise<boolean>
  /** Called once, when the stream has ended. */
  readonly onClose?: () => void
}

// Events that other processes cause are found by polling.
const POLL_MILLIS = 1_000
const HEARTBEAT_MILLIS = 15_000
const ACCESS_MILLIS = 60_000
// More is read from the database only when the reader has taken half of this.
const BUFFER_BYTES = 64 * 1024
// A reader that takes nothing for this long loses its stream, and resumes later where it was.
const SLOW_MILLIS = 15_000
const PER_ACCOUNT = 8

const encoder = new TextEncoder()

const encodeEvent = ({ id, type, data }: LiveEvent): Uint8Array =>
  encoder.encode(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`)

const HEARTBEAT = encoder.encode(': waiting\n\n')

export type EventStreams = ReturnType<typeof eventStreams>

export const eventStreams = (timers: Timers) => {
  /** The open streams, each with its account. */
  const open = new Map<Stream, string>()
  let isStopped = false

  /**
   * Opens a stream. Null: the account has too many.
   *
   * @param account whose streams are counted together
   * @param after the id of the last event that the reader has; 0 begins with the first
   */
  const openStream = (
    account: string,
    source: LiveSource,
    after: number,
  ): ReadableStream<Uint8Array> | null => {
    const streamsOfAccount = [...open.values()].filter((each) => each === account)
    if (streamsOfAccount.length >= PER_ACCOUNT) return null
    const stream = startStream(source, after, timers, () => void open.delete(stream))
    open.set(stream, account)
    // A browser connects again after a stream that has ended, and then reaches another server. After
    // an error it would not.
    if (isStopped) stream.close()
    return stream.readable
  }

  return {
    open: openStream,
    /** Ends all streams at once. */
    stop: (): void => {
      isStopped = true
      for (const stream of [...open.keys()]) stream.close()
    },
  }
}

type Stream = ReturnType<typeof startStream>

/**
 * Reads the source and writes to one reader until the stream is closed. One timer plans the next
 * read.
 */
const startStream = (
  source: LiveSource,
  after: number,
  { monotonicNow, after: afterMillis }: Timers,
  onClose: () => void,
) => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let last = after
  let wroteAt = monotonicNow()
  let checkedAt = monotonicNow()
  let isReading = false
  let isWoken = false
  let isFull = false
  let isClosed = false
  let timer: CancelableTimer | undefined

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    timer?.cancel()
    onClose()
    source.onClose?.()
    // The reader may have gone already.
    try {
      controller?.close()
    } catch {}
  }

  /** False: it must wait for the reader. */
  const write = (bytes: Uint8Array): boolean => {
    if (isClosed) return false
    isFull = (controller?.desiredSize ?? 0) < bytes.length
    if (isFull) return false
    controller?.enqueue(bytes)
    wroteAt = monotonicNow()
    return true
  }

  const writeNext = async (): Promise<boolean> => {
    const events = (await source.readAfter(last)) ?? []
    for (const event of events) {
      if (!write(encodeEvent(event))) return false
      last = event.id
    }
    return events.length > 0
  }

  const readOnce = async (): Promise<void> => {
    if (monotonicNow() - checkedAt >= ACCESS_MILLIS) {
      checkedAt = monotonicNow()
      if (!(await source.mayRead())) {
        close()
        return
      }
    }
    while (await writeNext());
    const silentMillis = monotonicNow() - wroteAt
    if (isFull && silentMillis >= SLOW_MILLIS) close()
    else if (silentMillis >= HEARTBEAT_MILLIS) write(HEARTBEAT)
  }

  const read = async (): Promise<void> => {
    if (isClosed) return
    if (isReading) {
      isWoken = true
      return
    }
    isReading = true
    timer?.cancel()
    do {
      isWoken = false
      await readOnce().catch(close)
    } while (isWoken && !isClosed)
    isReading = false
    if (!isClosed) timer = afterMillis(POLL_MILLIS, () => void read())
  }

  /** The reader has taken something. */
  const resume = (): void => {
    if (!isFull || (controller?.desiredSize ?? 0) < BUFFER_BYTES / 2) return
    isFull = false
    void read()
  }

  const readable = new ReadableStream<Uint8Array>(
    {
      start: (opened) => {
        controller = opened
      },
      pull: resume,
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
  )
  void read()
  return { readable, close }
}
