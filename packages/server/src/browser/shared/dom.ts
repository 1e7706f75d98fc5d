// Elements of a page are made here, so that texts of shops and shoppers never become markup.

export type Child = Node | string | null

/** `null` leaves an attribute as it is. */
export const setAttributes = (element: Element, attributes: Readonly<Record<string, string | null>>): void => {
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value)
}

/** `null` among the attributes leaves one out, and `null` among the children too. */
export const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  setAttributes(element, attributes)
  element.append(...children.filter((child) => child !== null))
  return element
}

export const makeButton = (
  text: string,
  act: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement => {
  const button = make('button', { type: 'button', ...attributes }, text)
  button.addEventListener('click', act)
  return button
}

/** A style sheet made by a script. The page's content security policy allows it, but no style in markup. */
export const setStyle = (root: ShadowRoot, rules: string): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  root.adoptedStyleSheets = [sheet]
}

const SVG = 'http://www.w3.org/2000/svg'

/** An icon of 24 by 24, drawn with lines. It says nothing to a screen reader. */
export const icon = (path: string): SVGSVGElement => {
  const svg = document.createElementNS(SVG, 'svg')
  const line = document.createElementNS(SVG, 'path')
  setAttributes(svg, { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' })
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}

/** Replaces each `{name}`. */
export const fillTemplate = (template: string, words: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name] ?? ''))
