import ts from 'typescript'

export function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
}

/** Every node below `node`, itself included, parents first. */
export function* walk(node: ts.Node): Generator<ts.Node> {
  yield node
  for (const child of node.getChildren()) yield* walk(child)
}

/** Where a node stands, as a message shows it. */
export function place(file: ts.SourceFile, node: ts.Node): string {
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`
}

export function hasModifier(node: ts.Node, kind: ts.ModifierSyntaxKind): boolean {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false)
}
