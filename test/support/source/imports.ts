/** Who imports whom: every form of import counts, those of types alone included. */

import { posix } from 'node:path'
import ts from 'typescript'
import { parse, place, walk } from './syntax.js'
import type { SourceTree } from './tree.js'

export interface Import {
  specifier: string
  /** Path of the imported file, when it is one of the tree; `undefined` for packages and Node's own modules. */
  target: string | undefined
  /** Erased by the compiler. */
  typeOnly: boolean
  /** Written `import(…)` and reached only when that line runs. */
  dynamic: boolean
  place: string
}

/** Imports by path of the importing file. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>

/** Built suffix to source suffix. */
const SOURCE_SUFFIX: Record<string, string> = { '.js': '.ts', '.cjs': '.cts', '.mjs': '.mts' }

/** Path of the source that a relative specifier names, whether or not it exists; `undefined` for packages. */
export function resolveSpecifier(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const path = posix.join(posix.dirname(from), specifier)
  const suffix = posix.extname(path)
  return suffix in SOURCE_SUFFIX ? path.slice(0, -suffix.length) + SOURCE_SUFFIX[suffix] : path
}

function specifierOf(node: ts.Node): { literal: ts.Node; typeOnly: boolean; dynamic: boolean } | undefined {
  if (ts.isImportDeclaration(node)) {
    const named = node.importClause?.namedBindings
    const allTypes = named !== undefined && ts.isNamedImports(named) && named.elements.every((name) => name.isTypeOnly)
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    const none = named !== undefined && ts.isNamedImports(named) && named.elements.length === 0
    return { literal: node.moduleSpecifier, typeOnly: typeOnly || (allTypes && !none), dynamic: false }
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { literal: node.moduleSpecifier, typeOnly: node.isTypeOnly, dynamic: false }
  }
  if (ts.isExternalModuleReference(node)) return { literal: node.expression, typeOnly: false, dynamic: false }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { literal: node.argument.literal, typeOnly: true, dynamic: false }
  }
  if (ts.isCallExpression(node) && node.arguments[0]) {
    const dynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword
    const required = ts.isIdentifier(node.expression) && node.expression.text === 'require'
    if (dynamic || required) return { literal: node.arguments[0], typeOnly: false, dynamic }
  }
  return undefined
}

function importsOf(path: string, tree: SourceTree): Import[] {
  const file = parse(path, tree.get(path) ?? '')
  const found: Import[] = []
  for (const node of walk(file)) {
    const named = specifierOf(node)
    if (!named || !ts.isStringLiteralLike(named.literal)) continue
    const specifier = named.literal.text
    const target = resolveSpecifier(path, specifier)
    found.push({ specifier, target, typeOnly: named.typeOnly, dynamic: named.dynamic, place: place(file, node) })
  }
  return found
}

export function importGraph(tree: SourceTree): ImportGraph {
  return new Map([...tree.keys()].map((path) => [path, importsOf(path, tree)]))
}

/**
 * Groups of files that import one another in a ring, by Tarjan's strongly connected components. A file that
 * imports itself is a ring of one. Dynamic imports count.
 */
export function importCycles(graph: ImportGraph): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (path: string): void => {
    order.set(path, order.size)
    low.set(path, order.get(path)!)
    stack.push(path)
    const targets = (graph.get(path) ?? []).map(({ target }) => target).filter((t) => t !== undefined && graph.has(t))
    for (const target of targets as string[]) {
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!))
    }
    if (low.get(path) !== order.get(path)) return
    const ring = stack.splice(stack.indexOf(path))
    if (ring.length > 1 || targets.includes(path)) cycles.push(ring.sort())
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return cycles
}
