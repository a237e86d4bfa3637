import { isIdentifier, isPropertyAccessExpression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import { add, type Measured, nameOf, type ParsedSource } from './sources.js';

const TIMERS: ReadonlySet<string> = new Set(['setTimeout', 'setInterval']);
const CLOCKS: ReadonlySet<string> = new Set(['Date.now', 'performance.now']);

/** Files that use timers and clocks of the system directly, outside of libs/runtime: in how many places. */
export function directClocks(sources: readonly ParsedSource[]): Measured {
  const found = new Map<string, number>();
  for (const { path, tree } of sources)
    if (/^(?:libs|services)\//.test(path) && !path.startsWith('libs/runtime/'))
      for (const _ of usesIn(tree)) add(found, path);
  return found;
}

/** Uses below a node; types such as `typeof setTimeout`, and methods of that name, are none. */
function* usesIn(node: Node): Generator<Node> {
  if (node.kind === SyntaxKind.TypeQuery) return;
  if (isIdentifier(node) && TIMERS.has(node.text)) yield node;
  if (isPropertyAccessExpression(node)) {
    const { expression, name } = node;
    if (isIdentifier(expression) && CLOCKS.has(`${expression.text}.${name.text}`)) yield node;
    return yield* usesIn(expression);
  }
  const children: Node[] = [];
  const own =
    TIMERS.has(nameOf(node) ?? '') && node.kind !== SyntaxKind.ImportSpecifier
      ? (node as { name?: Node }).name
      : undefined;
  node.forEachChild((child) => void (child === own || children.push(child)));
  for (const child of children) yield* usesIn(child);
}
