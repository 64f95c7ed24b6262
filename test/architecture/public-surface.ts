/** What the package exports, seen through the compiler: names and their documentation. */

import { basename } from 'node:path'
import ts from 'typescript'
import sourceOf from '../../.ci/entries.json' with { type: 'json' }
import { projectRoot } from '../support/source/tree.js'

export interface PublicName {
  /** `name`, or `Class.member`. */
  name: string
  kind: 'class' | 'function' | 'type' | 'value' | 'member'
  documented: boolean
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}

function kindOf(symbol: ts.Symbol): PublicName['kind'] {
  if (symbol.flags & ts.SymbolFlags.Class) return 'class'
  if (symbol.flags & ts.SymbolFlags.Function) return 'function'
  return symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias) ? 'type' : 'value'
}

/**
 * Members whose contract a name alone cannot tell: what a class can be asked to do, and every option. Fields of plain
 * records speak for themselves.
 */
function contractMembers(symbol: ts.Symbol): ts.Symbol[] {
  const isOptions = /Options$/.test(symbol.name)
  const shown = isOptions ? ts.SymbolFlags.Property | ts.SymbolFlags.Method : ts.SymbolFlags.Method
  if (!isOptions && !(symbol.flags & ts.SymbolFlags.Class)) return []
  // A name made of a symbol, such as the async dispose method, is documented by what it stands for.
  return [...(symbol.members?.values() ?? [])].filter(
    (member) => member.flags & shown && !member.name.startsWith('#') && !member.name.startsWith('__'),
  )
}

/** All names that the files export, with the methods of classes and the fields of options. */
export function publicNames(paths: readonly string[], host?: ts.CompilerHost): Map<string, PublicName[]> {
  const program = ts.createProgram([...paths], { ...OPTIONS }, host)
  const checker = program.getTypeChecker()
  const documented = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0
  const names = paths.map((path): [string, PublicName[]] => {
    const file = program.getSourceFile(path)
    const module = file && checker.getSymbolAtLocation(file)
    const exported = module ? checker.getExportsOfModule(module) : []
    const described = exported.flatMap((entry) => {
      const symbol = entry.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(entry) : entry
      const members = contractMembers(symbol).map(
        (member): PublicName => ({
          name: `${entry.name}.${member.name}`,
          kind: 'member',
          documented: documented(member),
        }),
      )
      return [{ name: entry.name, kind: kindOf(symbol), documented: documented(symbol) }, ...members]
    })
    return [path, described]
  })
  return new Map(names)
}

/** Sources behind the `exports` of the package, by subpath. */
export function publicSources(exports: Record<string, unknown>): Map<string, string> {
  const entries = Object.entries(exports).flatMap(([subpath, target]): [string, string][] => {
    if (typeof target !== 'object' || target === null) return []
    const { default: file } = (target as { require: { default: string } }).require
    return [[subpath, `${projectRoot}${sourceOf[basename(file, '.js') as keyof typeof sourceOf]}`]]
  })
  return new Map(entries)
}
