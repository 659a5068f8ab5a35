// Imported first by each entry: on older versions the other modules fail with messages that do not name the cause.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  throw new Error(`fastify-data-api needs Node.js 20.19 or later; this is Node.js ${process.versions.node}.`)
}

export {}
