// The statechart as files: pictures, and texts for other tools. They are checked in at docs/machine/.

import { mermaidOf, orderGraph } from '@plazo/core/machine'
import { type Picture, svgOf } from '../../../packages/server/src/api/machine/picture.ts'
import { readBrowserFile } from '../../../packages/server/src/http/page/browser-files.ts'

/** Names and contents of the files in docs/machine/, except its README. */
export const machineFiles = async (
  pictures: readonly Picture[],
): Promise<{ readonly [name: string]: string }> => {
  // A page forbids inline styles, and brings the style itself. A file has nothing but itself.
  const { body } = await readBrowserFile('api/machine/picture.css')
  const style = `<style>${body}</style>`
  return {
    ...Object.fromEntries(
      pictures.map((each) => [
        `${each.region}.svg`,
        svgOf(each).replace('</svg>', `${style}\n</svg>`),
      ]),
    ),
    'order.mmd': mermaidOf(orderGraph),
    'order.json': `${JSON.stringify(orderGraph, null, 2)}\n`,
  }
}
