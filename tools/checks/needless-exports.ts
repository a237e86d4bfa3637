import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { isExported } from './declarations.js';
import { type Faces, importsOf } from './imports.js';
import { add, isSource, type Measured, nameOf, type ParsedSource, packageOf } from './sources.js';

/** Sources that executables import as bundles. */
const ENTRY = /^services\/[^/]+\/src\/index\.ts$/;

/** Exported declarations that no other file imports, by file and name. Names on a face count as imported. */
export function needlessExports(files: readonly ParsedSource[], faces: Faces): Measured {
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

/** Counts names that a package exports and no other package imports, by package. */
export function unusedFaceNames(files: readonly ParsedSource[], faces: Faces): Measured {
  const imported = importsOf(files, faces);
  const sources = new Set(faces.values());
  const found = new Map<string, number>();
  for (const { path, tree } of files.filter((file) => sources.has(file.path) && isSource(file.path))) {
    const names = imported.get(path);
    const passedOn = names?.has('*') ? [] : tree.statements.flatMap(passedOnBy);
    for (const name of passedOn) if (!names?.has(name)) add(found, packageOf(path));
  }
  return found;
}

/** Returns the names that a statement re-exports, as they are exported. */
function passedOnBy(statement: Node): string[] {
  const { exportClause } = statement as { exportClause?: { elements?: readonly Node[] } };
  return (exportClause?.elements ?? []).flatMap((element) => nameOf(element) ?? []);
}
