import { expect, it } from 'vitest'
import { loadBrowserFiles, readBrowserFile } from './browser-files.ts'

const files = await loadBrowserFiles()

const LIMIT_BYTES = 60 * 1024

it('has the scripts and the style sheets of all features', () => {
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['checkout-element.js', 'machine-order.js', 'http/page/style.css']),
  )
})

// The guide for a shop is a text.
it.each([...files].filter(([name]) => name !== 'receiving.md'))(
  'makes one small file of %s, without imports and comments',
  (name, { body }) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMIT_BYTES)
    expect(body).not.toMatch(
      name.endsWith('.css') ? /@import|\/\*/ : /\bimport ?[{*'"]|\/\*|^\s*\/\//m,
    )
  },
)

it('gives a script the text of the style sheet that it imports', async () => {
  const { body } = await readBrowserFile('checkout-element.js')
  const { body: style } = await readBrowserFile('elements/checkout/style.css')
  const [firstRules = ''] = style.split('\n')
  expect(firstRules).toContain(':host')
  expect(body).toContain(firstRules)
})

it('gives each file a path that depends on its content', async () => {
  const { path } = await readBrowserFile('http/page/style.css')
  expect(path).toMatch(/^assets\/http\/page\/style\.[0-9a-f]{16}\.css$/)
  expect(new Set([...files.values()].map((file) => file.path)).size).toBe(files.size)
})

it('names a file that does not exist', async () => {
  const reading = readBrowserFile('none.js')
  await expect(reading).rejects.toThrow('No script or style sheet is named none.js.')
})
