import { expect, it } from 'vitest'
import { orderGraph } from './index.ts'
import { mermaidOf } from './mermaid.ts'

const lines = mermaidOf(orderGraph)
  .split('\n')
  .map((line) => line.trim())

it('draws each state once and every arrow between states that are drawn', () => {
  const drawn = lines.flatMap((line) => / as (\w+)/.exec(line)?.[1] ?? [])
  expect(drawn).toHaveLength(orderGraph.states.length)
  expect(new Set(drawn).size).toBe(drawn.length)
  for (const line of lines) {
    const [, from, to] = /^(\S+) --> (\S+)/.exec(line) ?? []
    if (from !== undefined) expect(['[*]', ...drawn]).toEqual(expect.arrayContaining([from, to]))
  }
})

it('closes every block and separates the three regions', () => {
  expect(lines.filter((line) => line.endsWith('{')).length).toBe(lines.filter((line) => line === '}').length)
  expect(lines.filter((line) => line === '--')).toHaveLength(2)
})

it('escapes characters in labels that would end the label', () => {
  for (const line of lines.filter((line) => line.includes(' : '))) expect(line.split(' : ')[1]).not.toMatch(/[;:"]/)
})

it('shows under a state its action, the answer to the shopper, and the section', () => {
  expect(lines).toContain(
    'state "paying<br/>the first amount is due by card<br/>⇒ require_payment<br/>Contract §4, Payment" as checkout_open_proving_paying',
  )
})
