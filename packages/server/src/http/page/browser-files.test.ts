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
