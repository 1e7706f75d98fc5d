// Shows the stored results as tables, with the ratios of each round.
import { contendersOf, figureNamesOf, figureOf, ratiosOf, UNITS } from './figures.ts'
import { PARTS } from './parts.ts'
import { type Result, readResults } from './results.ts'
import { STOLEN_MAX } from './rounds.ts'

const formatValue = (value: number): string => {
  if (Number.isNaN(value)) return ''
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)))
}

/** A contender's ratios to its limits and peers. */
const ratios = (result: Result, contender: string): string =>
  ratiosOf(result)
    .filter(({ of }) => of === contender)
    .map(({ to, figure, median, low, high }) => {
      const over = result.rounds.length > 1 ? ` (${formatValue(low)} to ${formatValue(high)})` : ''
      return figure === undefined
        ? `**${formatValue(median)}** × ${to}${over}`
        : `${UNITS[figure] ?? figure} **${formatValue(median)}**${over}`
    })
    .join('; ')

const table = (result: Result): string => {
  const figures = figureNamesOf(result)
  const hasRatios = ratiosOf(result).length > 0
  const rows = contendersOf(result).map((contender) => [
    contender,
    ...figures.map((figure) => formatValue(figureOf(result, contender, figure).median)),
    ...(hasRatios ? [ratios(result, contender)] : []),
  ])
  return [
    [
      '',
      ...figures.map((figure) => UNITS[figure] ?? figure),
      ...(hasRatios ? ['ratio (over the rounds)'] : []),
    ],
    ['---', ...figures.map(() => '---:'), ...(hasRatios ? ['---'] : [])],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const describeCounts = ({ rounds, dropped, on, notes = [] }: Result): string =>
  [
    `${rounds.length} round${rounds.length === 1 ? '' : 's'}${dropped === 0 ? '' : `, ${dropped} more dropped`}, ${on}.`,
    ...notes,
  ].join(' ')

const facts = ({ facts = {} }: Result): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}: ${formatValue(value)}.`)
    .join(' ')

const section = (name: string, result: Result): string =>
  [
    `**${name}**: ${[describeCounts(result), facts(result)].filter((text) => text !== '').join(' ')}`,
    table(result),
  ].join('\n\n')

const head = (results: readonly Result[]): string => {
  const without = PARTS.map(({ name }) => name).filter(
    (name) => !results.some(({ part }) => part === name),
  )
  const machines = [...new Set(results.map(({ machine }) => machine))]
  const versions = Object.entries(
    Object.assign({}, ...results.map(({ versions }) => versions)) as Result['versions'],
  )
  return [
    `Machine: ${machines.join('; ')}. Medians of the rounds; ratios are taken within each round. Rounds in which more than ${STOLEN_MAX * 100} % of the CPU time was stolen by other machines on the same host are dropped and measured again.`,
    `Versions: ${versions.map(([name, version]) => `${name} ${version}`).join(', ')}.`,
    ...(without.length === 0 ? [] : [`Of ${without.join(', ')} no figures are kept.`]),
  ].join('\n\n')
}

/** The stored figures as Markdown. */
const storedFigures = (): string => {
  const results = readResults(PARTS.map(({ name }) => name))
  const sections = [...results].map(([name, result]) => section(name, result))
  return [head([...results.values()]), ...sections].join('\n\n')
}

export const report = (): void => console.log(storedFigures())
