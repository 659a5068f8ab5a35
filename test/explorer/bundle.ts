import { build, type BuildOptions } from 'esbuild'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Makes the script and the style sheet of the explorer's pages of their sources: npm run assets.

const root = new URL('../../', new URL(import.meta.url.replace('/dist/', '/')))
const pathOf = (name: string) => fileURLToPath(new URL(`lib/doors/explorer/${name}`, root))

const assets = {
  script: { from: 'browser/index.ts', about: 'The script of every page. `npm run assets` makes it of browser/.' },
  style: { from: 'style.css', about: 'The style sheet of every page. `npm run assets` makes it of style.css.' }
} as const

export type AssetName = keyof typeof assets

export const assetNames = Object.keys(assets) as AssetName[]

/** Returns the path of the file that holds an asset. */
export const assetFile = (name: AssetName): string => pathOf(`${name}.ts`)

const options = {
  bundle: true, minify: true, write: false, format: 'esm', target: 'es2022', charset: 'utf8'
} as const satisfies BuildOptions

/** Returns the text of that file. */
export async function makeAsset (name: AssetName): Promise<string> {
  const { from, about } = assets[name]
  const target = name === 'style' ? 'esnext' : options.target
  const { outputFiles: [made] } = await build({ ...options, target, entryPoints: [pathOf(from)] })
  return `/* eslint-disable */
/** ${about} */
export const ${name} = ${JSON.stringify(made?.text.trim())}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of assetNames) writeFileSync(assetFile(name), await makeAsset(name))
}
