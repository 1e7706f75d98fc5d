import { expect, it } from 'vitest'
import {
  findScript,
  loadBrowserFiles,
  readScript,
  readStyle,
  toClassicScript,
} from './browser-files.ts'

const { files, scripts } = await loadBrowserFiles()
const names = [...scripts.keys()].map((file) => file.replace('.js', ''))

const LIMIT_BYTES = 60 * 1024

it('has the scripts and the style sheets of all features', () => {
  expect(names).toEqual(expect.arrayContaining(['checkout-element', 'machine-order', 'reference']))
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['api/checkout/style.css', 'api/docs/style.css', 'http/page/base.css']),
  )
})

it.each(names)('makes one small file of %s, without imports and comments', async (name) => {
  const { body } = await readScript(name)
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMIT_BYTES)
  expect(body).not.toMatch(/\bimport ?[{*'"]|\/\*|^\s*\/\//m)
})

it.each(Object.entries(files).filter(([path]) => path.endsWith('.css')))(
  'makes one small file of %s, without imports and comments',
  (_, style) => {
    expect(Buffer.byteLength(style)).toBeLessThanOrEqual(LIMIT_BYTES)
    expect(style).not.toMatch(/@import|\/\*/)
  },
)

it('gives a script the text of the style sheet that it imports', async () => {
  const { body } = await readScript('checkout-element')
  const [firstRules = ''] = (await readStyle('elements/checkout/style.css')).split('\n')
  expect(firstRules).toContain(':host')
  expect(body).toContain(firstRules)
})

it('gives each script a path that depends on its code', async () => {
  const paths = await Promise.all(names.map(async (name) => (await readScript(name)).path))
  expect(new Set(paths.map((path) => path.split('?')[1])).size).toBe(names.length)
  for (const path of paths) expect(path).toMatch(/^sdk\/pages\/[a-z-]+\.js\?v=[\w-]{16}$/)
})

it('makes a classic script of a module, with the name of the service', () => {
  const body = toClassicScript({ path: '', body: 'report(SERVICE)' }, 'plazo')
  const reports: string[] = []
  new Function('report', body)((service: string) => reports.push(service))
  expect(reports).toEqual(['plazo'])
})

it('names a script or a style sheet that does not exist', async () => {
  expect(await findScript('reference')).toBeUndefined()
  await expect(readScript('elsewhere')).rejects.toThrow('No script is named elsewhere.entry.ts.')
  await expect(readStyle('docs/none.css')).rejects.toThrow('No style sheet is at docs/none.css.')
})
