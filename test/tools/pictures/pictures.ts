// `pnpm pictures [name …]`: takes the screenshots in docs/pictures with a real browser, so that
// they show the pages as they are.
import { mkdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withScene } from './scene.ts'

if (process.argv.includes('--help')) {
  console.log(`pnpm pictures [name …] [--help]

  Takes the screenshots in docs/pictures, all of them or those with these names. Needs about half a minute.`)
  process.exit()
}

const FOLDER = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url))
const names = process.argv.slice(2)

mkdirSync(FOLDER, { recursive: true })
await withScene(async ({ pages, url, withPage }) => {
  for (const scenePage of pages) {
    const { name, path, selector } = scenePage
    if (names.length === 0 || names.includes(name))
      await withPage(scenePage, { colorScheme: 'light', reducedMotion: 'reduce' }, async (page) => {
        const answer = await page.goto(`${url}${path}`)
        if (!answer?.ok()) {
          process.stderr.write(
            `${name}: no picture, because ${path} answers ${answer?.status()}.\n`,
          )
          process.exitCode = 1
          return
        }
        if (selector !== undefined) await page.locator(selector).first().waitFor()
        // The page keeps a stream open, so it is never idle. Its elements draw within a second.
        await page.waitForTimeout(1500)
        const file = `${FOLDER}${name}.png`
        await page.screenshot({ path: file })
        process.stdout.write(
          `docs/pictures/${name}.png  ${Math.ceil(statSync(file).size / 1024)} KiB\n`,
        )
      })
  }
})
