import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as TypeScript from 'typescript'
import { read, root } from './documents.ts'

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

const options: TypeScript.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  // As in tsconfig.json, so that both share what is parsed.
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true
}

const folder = fileURLToPath(new URL('test/compiled/', root))

/**
 * Compiles modules that exist in memory only, strictly, as if they stood in one folder of test. Returns the first
 * errors, and the number of types that the compiler has instantiated.
 */
export function compile (modules: Readonly<Record<string, string>>) {
  const host = makeHost(options)
  const files = new Map(Object.entries(modules).map(([name, text]) => [folder + name, text]))
  const { fileExists, readFile, getSourceFile, directoryExists } = host
  host.directoryExists = name => `${name}/` === folder || (directoryExists?.call(host, name) ?? false)
  host.fileExists = file => files.has(file) || fileExists.call(host, file)
  host.readFile = file => files.get(file) ?? readFile.call(host, file)
  host.getSourceFile = (file, ...others) => {
    const text = files.get(file)
    if (text !== undefined) return ts.createSourceFile(file, text, ts.ScriptTarget.ES2023)
    return getSourceFile.call(host, file, ...others)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  const errors = errorsIn(program, [...files.keys()])
  return { errors: errors.slice(0, 10), instantiations: program.getInstantiationCount() }
}

const { config } = ts.parseConfigFileTextToJson('tsconfig.json', read('tsconfig.json')) as
  { config: { compilerOptions: object } }
const { options: ofProject } = ts.convertCompilerOptionsFromJson(config.compilerOptions, fileURLToPath(root))
const relaxed = { ...ofProject, noUnusedLocals: false, rootDir: fileURLToPath(root) }

/** Compiles programs that documents.ts has written, with the options of the project. Returns all errors. */
export function compileWritten (files: readonly URL[]): readonly string[] {
  const names = files.map(file => fileURLToPath(file))
  return errorsIn(ts.createProgram(names, relaxed, makeHost(relaxed, names)), names)
}

/**
 * Compiles a program that imports an installed package, strictly. Returns the errors in it and in the declarations of
 * the package. To check those of all other packages too takes five times as long.
 */
export function compileWithPackage (file: string, name: string): readonly string[] {
  const { lib: _lib, ...others } = options
  const strict = { ...others, types: ['node'], skipLibCheck: false }
  const program = ts.createProgram([file], strict)
  const files = program.getSourceFiles().map(({ fileName }) => fileName)
  return errorsIn(program, files.filter(one => one === file || one.includes(`/node_modules/${name}/`)))
}

const parsed = new Map<string, TypeScript.SourceFile | undefined>()

/** Makes a host that shares all files but `own` with the others: to parse them takes most of the time. */
function makeHost (options: TypeScript.CompilerOptions, own: readonly string[] = []): TypeScript.CompilerHost {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (file, ...others) => {
    if (own.includes(file)) return getSourceFile.call(host, file, ...others)
    if (!parsed.has(file)) parsed.set(file, getSourceFile.call(host, file, ...others))
    return parsed.get(file)
  }
  return host
}

/** Returns what is wrong in these files. Those that they import are checked by `npm run check`. */
function errorsIn (program: TypeScript.Program, files: readonly string[]): readonly string[] {
  const own = files.map(name => program.getSourceFile(name))
  const wrong = [
    ...program.getOptionsDiagnostics(),
    ...own.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  ]
  return wrong.map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
    return `${file?.fileName.split('/').at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
