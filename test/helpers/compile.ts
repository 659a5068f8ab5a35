import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as TypeScript from 'typescript'
import { root } from './documents.ts'

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

const options: TypeScript.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true
}

const folder = fileURLToPath(new URL('test/compiled/', root))
const libraries = new Map<string, TypeScript.SourceFile | undefined>()

/**
 * Compiles modules that exist in memory only, strictly, as if they stood in one folder of test. Returns the first
 * errors, and the number of types that the compiler has instantiated.
 */
export function compile (modules: Readonly<Record<string, string>>) {
  const host = ts.createCompilerHost(options)
  const files = new Map(Object.entries(modules).map(([name, text]) => [folder + name, text]))
  const { fileExists, readFile, getSourceFile, directoryExists } = host
  host.directoryExists = name => `${name}/` === folder || (directoryExists?.call(host, name) ?? false)
  host.fileExists = file => files.has(file) || fileExists.call(host, file)
  host.readFile = file => files.get(file) ?? readFile.call(host, file)
  host.getSourceFile = (file, ...others) => {
    const text = files.get(file)
    if (text !== undefined) return ts.createSourceFile(file, text, ts.ScriptTarget.ES2022)
    if (!libraries.has(file)) libraries.set(file, getSourceFile.call(host, file, ...others))
    return libraries.get(file)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  const errors = diagnosticsOf(program, [...files.keys()]).map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
    return `${file?.fileName.slice(folder.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  return { errors: errors.slice(0, 10), instantiations: program.getInstantiationCount() }
}

/** Returns what is wrong in these files. Those that they import are checked by `npm run check`. */
export function diagnosticsOf (
  program: TypeScript.Program, files: readonly string[]
): readonly TypeScript.Diagnostic[] {
  const own = files.map(name => program.getSourceFile(name))
  return [
    ...program.getOptionsDiagnostics(),
    ...own.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  ]
}
