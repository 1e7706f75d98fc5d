// Waits for a condition that background work fulfils. After 30 s it fails with the condition in the message.
const PATIENCE = 30_000

export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + PATIENCE; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`It did not come about within ${PATIENCE / 1000} s: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
