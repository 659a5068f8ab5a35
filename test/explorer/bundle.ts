import { build } from 'esbuild'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Makes the script of the explorer's pages of lib/explorer/browser: npm run script.

const root = new URL('../../', new URL(import.meta.url.replace('/dist/', '/')))
const pathOf = (name: string) => fileURLToPath(new URL(`lib/explorer/${name}`, root))

/** The file that holds the script. */
export const scriptFile = pathOf('script.ts')

/** Returns the text of that file. */
export async function bundleScript (): Promise<string> {
  const { outputFiles: [made] } = await build({
    entryPoints: [pathOf('browser/index.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8'
  })
  return `/* eslint-disable */
/** The script of every page. \`npm run script\` makes it of lib/explorer/browser. */
export const script = ${JSON.stringify(made?.text.trim())}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(scriptFile, await bundleScript())
