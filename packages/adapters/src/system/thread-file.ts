// Where the program of a thread stands: beside the module that starts it, and as that module is read: as its source, or as
// the JavaScript that a package holds, where nothing may be stripped of its types.

/** `source`: as an import would name it; `from`: the module's own `import.meta.url`. */
export const threadFile = (source: string, from: string): URL =>
  new URL(from.endsWith('.js') ? source.replace(/\.ts$/, '.js') : source, from)
