// Makes the data from which pictures and pages of the statechart are drawn. It needs the layout
// library, which the package does not carry.

import { orderGraph, REGIONS } from '@plazo/core/machine'
import { arrangeRegion } from './arrange.ts'
import { drawRegion } from './draw-region.ts'
import { guidesOf } from './guides.ts'
import { machineMapOf, stateCardsOf } from './machine-map.ts'

/** `text`: the content of machine-data.json. */
export const generateMachineData = async () => {
  const arrangements = await Promise.all(REGIONS.map((region) => arrangeRegion(orderGraph, region)))
  const map = machineMapOf(orderGraph)
  const pictures = arrangements.map(drawRegion)
  const data = { pictures, map, cards: stateCardsOf(orderGraph, guidesOf(map)) }
  return { pictures, text: `${JSON.stringify(data, null, 1)}\n` }
}
