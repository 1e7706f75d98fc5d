// Finds the program file of a thread, relative to the module that starts it. It has the same form as that module: TypeScript in
// the sources, or JavaScript in a published package, where types may not be stripped.

/** `source`: the path as an import would name it. `from`: the starting module's own `import.meta.url`. */
export const threadFile = (source: string, from: string): URL =>
  new URL(from.endsWith('.js') ? source.replace(/\.ts$/, '.js') : source, from)
