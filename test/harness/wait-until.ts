// Waits for a condition that background work fulfils. After 30 s it fails with the condition in the message.
const PATIENCE = 30_000

export const waitUntil = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + PATIENCE; !(await condition()); ) {
    if (Date.now() > end) throw new Error(`It did not come about within ${PATIENCE / 1000} s: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
