// Ends the process with a sentence on a Node that cannot run plazo. It is plain JavaScript, and is
// imported first, because such a Node cannot even load the rest: before 22.18 it does not know
// TypeScript.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`plazo needs Node 22.18 or later; this is ${process.versions.node}.\n`)
  process.exit(1)
}
