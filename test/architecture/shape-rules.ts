/** Rules for a single file: its name, its length, and constructs it must not hold. */

import ts from 'typescript'
import { hasModifier, parse, place, walk } from '../support/source/syntax.js'

/** Longest a file may be, in lines. */
export const MAX_LINES = 400

const VAGUE = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'type', 'types', 'manager'])

/** `name.ts`, or `name.kind.test.ts`, each word in lower case with single hyphens. */
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:browser|full|package))?(?:\.test)?(?:\.d)?\.[cm]?[jt]s$/

export function namingFaults(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!KEBAB.test(name)) return [`${path}: not kebab-case`]
  const vague = path.split(/[/.-]/).find((word) => VAGUE.has(word))
  return vague ? [`${path}: "${vague}" does not say what the file holds`] : []
}

export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

export function lengthFaults(path: string, text: string): string[] {
  const lines = lineCount(text)
  return lines > MAX_LINES ? [`${path}: ${lines} lines, at most ${MAX_LINES}`] : []
}

function constructFault(node: ts.Node): string | undefined {
  if (ts.isEnumDeclaration(node)) return 'an enum; use a union of strings'
  if ((ts.isExportAssignment(node) && !node.isExportEquals) || hasModifier(node, ts.SyntaxKind.DefaultKeyword))
    return 'a default export'
  if (ts.isExportSpecifier(node) && node.name.text === 'default') return 'a default export'
  // A constructor is the one member that a # name cannot hide.
  const hidden = hasModifier(node, ts.SyntaxKind.PrivateKeyword) && !ts.isConstructorDeclaration(node)
  if (hidden) return 'a private modifier; use a # name'
  if (ts.isIdentifier(node) && /^jobs?(?![a-z])|[a-z_]Jobs?(?![a-z])|^Jobs?(?![a-z])/.test(node.text)) {
    return `"${node.text}"; the word is task`
  }
  return undefined
}

/** Constructs that this code base does without. */
export function constructFaults(path: string, text: string): string[] {
  const file = parse(path, text)
  return [...walk(file)].flatMap((node) => {
    const fault = constructFault(node)
    return fault ? [`${place(file, node)}: ${fault}`] : []
  })
}

/** Members of global objects that read the time or chance, by object. */
const CLOCK_MEMBERS: Record<string, readonly string[]> = {
  Date: ['now'],
  performance: ['now'],
  Math: ['random'],
  process: ['hrtime', 'uptime'],
}
const TIMER_NAMES = new Set(['setTimeout', 'setInterval'])

function clockFault(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const { text } = node.expression
    if (Object.hasOwn(CLOCK_MEMBERS, text) && CLOCK_MEMBERS[text]!.includes(node.name.text)) {
      return `${text}.${node.name.text}`
    }
  }
  if (ts.isIdentifier(node) && TIMER_NAMES.has(node.text)) return node.text
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) return 'new Date()'
  if (ts.isStringLiteral(node) && /^(?:node:)?timers(?:\/promises)?$/.test(node.text)) return node.text
  return undefined
}

/** Time and chance taken from the system instead of being handed in. */
export function clockFaults(path: string, text: string): string[] {
  const file = parse(path, text)
  return [...walk(file)].flatMap((node) => {
    const fault = clockFault(node)
    return fault ? [`${place(file, node)}: ${fault}; take the clock or the random source as a parameter`] : []
  })
}

const UNITLESS = /^(?:.*[a-z])?(?:timeout|delay|duration|interval|latency|elapsed|period|age)$/i

/** Numbers that measure time under a name without a unit. */
export function unitFaults(path: string, text: string): string[] {
  const file = parse(path, text)
  return [...walk(file)].flatMap((node) => {
    // A type written in place often has another library's names; an interface is ours.
    const ours = ts.isPropertySignature(node) && ts.isInterfaceDeclaration(node.parent)
    const declared = ours || ts.isPropertyDeclaration(node) || ts.isParameter(node)
    if (!declared || node.type?.kind !== ts.SyntaxKind.NumberKeyword || !ts.isIdentifier(node.name)) return []
    const bare =
      UNITLESS.test(node.name.text) && !/(?:message|usage|image|page|average|percentage)$/i.test(node.name.text)
    return bare ? [`${place(file, node)}: ${node.name.text} has no unit`] : []
  })
}
