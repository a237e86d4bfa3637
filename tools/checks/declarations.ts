import { type Node, SyntaxKind } from 'typescript/unstable/ast';

/** Whether a node has a modifier such as `export` or `private`. */
export const hasModifier = (node: Node, ...kinds: readonly SyntaxKind[]): boolean =>
  ((node as { modifiers?: readonly Node[] }).modifiers ?? []).some(({ kind }) => kinds.includes(kind));

/** Whether a statement is a declaration with `export` before it. */
export const isExported = (statement: Node): boolean => hasModifier(statement, SyntaxKind.ExportKeyword);

/** Whether a docstring stands right before a node; comments that begin with `//` may stand in between. */
export const isDocumented = (text: string, node: Node, start: number): boolean =>
  /\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?:\s|\/\/[^\n]*\n)*$/.test(text.slice(node.pos, start));
