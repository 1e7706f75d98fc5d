// Every page inside the card form's iframe includes this script: it sends messages and the page's height to the page around it.
// Contract §8.

/** Defines `service`, `tell` and `say` for the script. When the page grows or shrinks, it reports the height of its body. */
export const frameScript = (service: string): string => `
  const service = ${JSON.stringify(service)}
  const tell = (message) => parent.postMessage(JSON.stringify(message), '*')
  const say = (name, rest) => tell({ action: service + '.' + name, ...rest })
  new ResizeObserver(() => say('resized', { height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body, { box: 'border-box' })`
