// What every page inside the card form's iframe does: tells the page around it, and how high it is. Contract §8.

/** Gives the script `service`, `tell` and `say`. A page that grows or shrinks is told of by its body's own height. */
export const frameScript = (service: string): string => `
  const service = ${JSON.stringify(service)}
  const tell = (message) => parent.postMessage(JSON.stringify(message), '*')
  const say = (name, rest) => tell({ action: service + '.' + name, ...rest })
  new ResizeObserver(() => say('resized', { height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body, { box: 'border-box' })`
