import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { linesOf, type Measured, nameOf, type ParsedSource } from './sources.js';

const LINES = 35;
const PARAMETERS = 5;

const FUNCTIONS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);

/** Functions of more than 35 lines, signature and braces included: how many. */
export const longFunctions = (sources: readonly ParsedSource[]): Measured => functionsAbove(sources, LINES, linesOf);

/** Functions of more than 5 parameters: how many. */
export const wideFunctions = (sources: readonly ParsedSource[]): Measured =>
  functionsAbove(sources, PARAMETERS, (_, node) => (node as Node & { parameters: readonly Node[] }).parameters.length);

function functionsAbove(
  sources: readonly ParsedSource[],
  most: number,
  measure: (source: ParsedSource, node: Node) => number,
) {
  const found = new Map<string, number>();
  for (const source of sources)
    for (const [name, node] of functionsOf(source.tree)) {
      const amount = measure(source, node);
      const key = `${source.path} ${name}`;
      if (amount > most) found.set(key, Math.max(amount, found.get(key) ?? 0));
    }
  return found;
}

/** The functions below a node, by the path of their names: `Class.method`, `outer.inner`. */
function* functionsOf(node: Node, within = ''): Generator<readonly [string, Node]> {
  const own = node.kind === SyntaxKind.Constructor ? 'constructor' : nameOf(node);
  const path =
    own === undefined || node.kind === SyntaxKind.Parameter ? within : [within, own].filter(Boolean).join('.');
  if (FUNCTIONS.has(node.kind) && 'body' in node && node.body) yield [path || 'anonymous', node];
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* functionsOf(child, path);
}
