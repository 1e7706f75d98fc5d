// `pnpm paint`: measures how soon the first text of each page appears, from a warm server, in a
// browser with an empty cache.
import { withScene } from './scene.ts'

if (process.argv.includes('--help')) {
  console.log(`pnpm paint [--help]

  Measures how soon the first text of each page appears, ten times each. Fails if a page needs 200 ms or more.`)
  process.exit()
}

const RUNS = 10
const GOAL_MILLIS = 200

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName('first-contentful-paint')
  if (paint) resolve(paint.startTime)
}).observe({ type: 'paint', buffered: true }))`

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

await withScene(async ({ pages, url, withPage }) => {
  process.stdout.write('| page | first contentful paint, median of ten (slowest) |\n|---|---|\n')
  for (const scenePage of pages) {
    const { name, path } = scenePage
    const paint = () =>
      withPage(scenePage, {}, async (page) => {
        await page.goto(`${url}${path}`)
        return (await page.evaluate(FIRST_PAINT)) as number
      })
    // The first visit warms the server and the browser.
    await paint()
    const times: number[] = []
    for (let run = 0; run < RUNS; run += 1) times.push(await paint())
    const typical = median(times)
    process.stdout.write(
      `| ${name} | ${typical.toFixed(0)} ms (${Math.max(...times).toFixed(0)} ms) |\n`,
    )
    if (typical >= GOAL_MILLIS) process.exitCode = 1
  }
})
