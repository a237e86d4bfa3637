import { dirname, join } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { nameOf, nodesOf, type ParsedSource } from './sources.js';

/** The sources that a package exports, by the name that they are imported by. */
export type Faces = ReadonlyMap<string, string>;

/** Names that are imported of each file; `*` for all of them. */
export function importsOf(files: readonly ParsedSource[], faces: Faces): Map<string, Set<string>> {
  const known = new Set(files.map(({ path }) => path));
  const imported = new Map<string, Set<string>>();
  for (const { path, tree } of files)
    for (const node of nodesOf(tree)) {
      const target = targetOf(node);
      if (target === undefined) continue;
      const file = target.startsWith('.') ? join(dirname(path), target).replace(/\.js$/, '.ts') : faces.get(target);
      if (file === undefined || !known.has(file)) continue;
      const names = imported.get(file) ?? new Set();
      for (const name of importedNames(node)) names.add(name);
      imported.set(file, names);
    }
  return imported;
}

/** The module that an import or a re-export names, also one of types or at run time. */
function targetOf(node: Node): string | undefined {
  const {
    moduleSpecifier,
    argument,
    expression,
    arguments: given,
  } = node as {
    moduleSpecifier?: Node;
    argument?: Node;
    expression?: Node;
    arguments?: readonly Node[];
  };
  if (moduleSpecifier) return textOf(moduleSpecifier);
  if (node.kind === SyntaxKind.ImportType) return textOf((argument as Node & { literal?: Node })?.literal);
  if (node.kind === SyntaxKind.CallExpression && expression?.kind === SyntaxKind.ImportKeyword)
    return textOf(given?.[0]);
  return undefined;
}

const textOf = (node: Node | undefined): string | undefined => (node as { text?: string } | undefined)?.text;

/** Names that an import takes of its module; `*` where it may take any. */
function importedNames(node: Node): string[] {
  const { importClause, exportClause } = node as { importClause?: Node; exportClause?: Node };
  const bindings = exportClause ?? (importClause as { namedBindings?: Node } | undefined)?.namedBindings;
  const { elements } = (bindings ?? {}) as { elements?: readonly Node[] };
  if (!elements) return node.kind === SyntaxKind.ImportDeclaration && !bindings ? ['default'] : ['*'];
  return elements.map((element) => textOf((element as { propertyName?: Node }).propertyName) ?? nameOf(element) ?? '*');
}
