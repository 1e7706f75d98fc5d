// Elements of a page are made here, so that texts of shops and shoppers never become markup.
import { numberAsSeen } from '@plazo/core/form-rules'

/** `false`, `null` and `undefined` are left out. */
export type Child = Node | string | false | null | undefined
type Content = Child | readonly Child[]

/**
 * By name. `true` is an attribute without a value, `false` and `null` none. A function listens to
 * the event of its name: `onchange`.
 */
export type Attributes = Readonly<Record<string, string | boolean | null | EventListener>>

export const setAttributes = (element: Element, attributes: Attributes): void => {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === null || value === false) element.removeAttribute(name)
    else element.setAttribute(name, value === true ? '' : value)
}

const isAttributes = (part: Attributes | Content): part is Attributes =>
  Object.getPrototypeOf(part ?? '') === Object.prototype

/** `look`: the tag, and the classes after dots: `p.quiet`. */
export const make = <Tag extends keyof HTMLElementTagNameMap>(
  look: Tag | `${Tag}.${string}`,
  ...parts: readonly (Attributes | Content)[]
): HTMLElementTagNameMap[Tag] => {
  const [tag, ...classes] = look.split('.')
  const element = document.createElement(tag as Tag) // What precedes the first dot is the tag.
  element.classList.add(...classes)
  for (const part of parts)
    if (isAttributes(part)) setAttributes(element, part)
    else element.append(...[part].flat().flatMap((child) => child || []))
  return element
}

export const makeButton = (
  text: string,
  onclick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement => make('button', { type: 'button', onclick, ...attributes }, text)

/** Arrow keys select the next and the previous tab. After the last comes the first. */
export const moveByArrows = (tabs: readonly HTMLButtonElement[]): void =>
  tabs.forEach((tab, index) => {
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
      const next = step === undefined ? undefined : tabs[(index + step + tabs.length) % tabs.length]
      next?.click()
      next?.focus()
    })
  })

/** Sends an event of a custom element. False if the page prevents what the element would do. */
export const emit = (element: HTMLElement, name: string, detail: unknown): boolean =>
  element.dispatchEvent(
    new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }),
  )

/** Hears an event of a custom element. `Detail`: as the element's own comment says. */
export const hear = <Detail>(
  target: EventTarget,
  name: string,
  act: (detail: Detail, event: Event) => void,
): void =>
  target.addEventListener(name, (event) => act((event as CustomEvent<Detail>).detail, event))

/** Writes into a live region, and marks an error. */
export const sayIn =
  (region: HTMLElement) =>
  (text: string, isWrong = false): void => {
    region.textContent = text
    region.classList.toggle('is-wrong', isWrong)
  }

/**
 * A shadow root with a style sheet made by a script. The page's content security policy allows it,
 * but no style in markup. Firefox before 101 and Safari before 16.4 make no such sheets. There, the
 * root loads `url`, where the same rules are.
 */
export const makeShadow = (host: HTMLElement, rules: string, url?: string): ShadowRoot => {
  const root = host.attachShadow({ mode: 'open' })
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(rules)
    root.adoptedStyleSheets = [sheet]
  } catch {
    if (url !== undefined) root.append(make('link', { rel: 'stylesheet', href: url }))
  }
  return root
}

/**
 * The digits and letters of a code or a card number as people see them, without the blanks and
 * hyphens between them.
 */
export const withoutSeparators = (typed: string): string =>
  numberAsSeen(typed).replace(/[\s-]/g, '')

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
export const fillTemplate = (
  template: string,
  words: Readonly<Record<string, string | number>>,
): string => template.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name] ?? ''))
