import { dirname, join } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import { isExported } from './declarations.js';
import { isSource, type Measured, nameOf, nodesOf, type Source } from './sources.js';

/** The sources that a package exports, by the name that they are imported by. */
export type Faces = ReadonlyMap<string, string>;

/** Sources that executables import as bundles. */
const ENTRY = /^services\/[^/]+\/src\/index\.ts$/;

/** Exported declarations that no other file imports: each by its file and name. Names that a face passes on count as imported. */
export function needlessExports(files: readonly Source[], faces: Faces): Measured {
  const imported = importsOf(files, faces);
  const found = new Map<string, number>();
  for (const { path, tree } of files.filter((file) => isSource(file.path) && !ENTRY.test(file.path))) {
    const names = imported.get(path);
    if (names?.has('*')) continue;
    for (const name of tree.statements.filter(isExported).flatMap(namesOf))
      if (!names?.has(name)) found.set(`${path} ${name}`, 1);
  }
  return found;
}

/** Names that a statement declares. */
function namesOf(statement: Node): string[] {
  if (statement.kind !== SyntaxKind.VariableStatement) return [nameOf(statement) ?? 'default'];
  const { declarations } = (statement as Node & { declarationList: { declarations: readonly Node[] } }).declarationList;
  return declarations.flatMap((declaration) => nameOf(declaration) ?? []);
}

/** Names that are imported of each file; `*` for all of them. */
function importsOf(files: readonly Source[], faces: Faces): Map<string, Set<string>> {
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
