/**
 * The functions of `src/board/claims.ts`, cut at every access to shared memory: the source is compiled with each
 * function turned into a generator that yields before each call of `Atomics` and notes its result. What runs between two yields is what
 * no other thread can see the middle of.
 */

import { readFileSync } from 'node:fs'
import ts from 'typescript'
import type * as claims from '../../src/board/claims.js'
import * as layout from '../../src/board/layout.js'
import { observe, type Stepwise } from './explorer.js'

type FunctionsOf<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result ? (...args: Args) => Stepwise<Result> : never
}

export type StepwiseClaims = Pick<
  FunctionsOf<typeof claims>,
  'post' | 'free' | 'claim' | 'finish' | 'revoke' | 'askToEnd' | 'doom' | 'stateOf'
>

const source = new URL('../../src/board/claims.ts', import.meta.url)

/** Every function a generator; every call among them delegates; every call of `Atomics` comes after a yield. */
function cutAtSharedMemory(context: ts.TransformationContext): ts.Transformer<ts.SourceFile> {
  const { factory } = context
  return (file) => {
    const own = new Set(file.statements.filter(ts.isFunctionDeclaration).map((declared) => declared.name!.text))
    const visit = (node: ts.Node): ts.Node => {
      const seen = ts.visitEachChild(node, visit, context)
      if (ts.isFunctionDeclaration(seen)) {
        const star = factory.createToken(ts.SyntaxKind.AsteriskToken)
        const { modifiers, name, parameters, body } = seen
        return factory.createFunctionDeclaration(modifiers, star, name, undefined, parameters, undefined, body)
      }
      if (!ts.isCallExpression(seen)) return seen
      const { expression: called } = seen
      if (ts.isIdentifier(called) && own.has(called.text)) {
        return factory.createParenthesizedExpression(
          factory.createYieldExpression(factory.createToken(ts.SyntaxKind.AsteriskToken), seen),
        )
      }
      const isShared = ts.isPropertyAccessExpression(called) && called.expression.getText(file) === 'Atomics'
      return isShared ? stepOf(seen, factory) : seen
    }
    return ts.visitNode(file, visit) as ts.SourceFile
  }
}

/** `(yield, observe(call))` */
function stepOf(call: ts.Expression, factory: ts.NodeFactory): ts.Expression {
  const seen = factory.createCallExpression(factory.createIdentifier('observe'), undefined, [call])
  const pause = factory.createParenthesizedExpression(
    factory.createYieldExpression(undefined, factory.createVoidZero()),
  )
  return factory.createParenthesizedExpression(factory.createComma(pause, seen))
}

/** @param change plants a fault in the source before it is cut; it must change something. */
export function stepwiseClaims(change?: (text: string) => string): StepwiseClaims {
  const original = readFileSync(source, 'utf8')
  const text = change === undefined ? original : change(original)
  if (change !== undefined && text === original) throw new Error('the fault was not planted')
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
    transformers: { before: [cutAtSharedMemory] },
  })
  const module = { exports: {} }
  new Function('exports', 'require', 'observe', outputText)(module.exports, () => layout, observe)
  return module.exports as StepwiseClaims
}
