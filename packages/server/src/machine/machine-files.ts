// The statechart as files: pictures, and texts for other tools. They are checked in at
// docs/machine/, and `plazo machine` writes them anywhere.
import { mermaidOf, orderGraph } from '@plazo/core/diagram'
import { readStyle } from '../http/page/browser-files.ts'
import { PICTURES } from './machine-data.ts'
import { type Picture, svgOf } from './picture.ts'

/** Names and contents of the files in docs/machine/, except its README. */
export const machineFiles = async (
  pictures: readonly Picture[] = PICTURES,
): Promise<{ readonly [name: string]: string }> => {
  const style = await readStyle('machine/picture.css')
  return {
    ...Object.fromEntries(
      pictures.map((each) => [`${each.region}.svg`, svgOf([each], { style, title: each.region })]),
    ),
    'order.mmd': mermaidOf(orderGraph),
    'order.json': `${JSON.stringify(orderGraph, null, 2)}\n`,
  }
}
