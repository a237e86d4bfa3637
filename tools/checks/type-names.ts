import { SyntaxKind } from 'typescript/unstable/ast';
import { isExported } from './declarations.js';
import { add, type Measured, nameOf, type ParsedSource } from './sources.js';

const TYPES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.EnumDeclaration,
]);

/** Names of exported types and classes that are declared in more than one file: in how many. */
export function sharedTypeNames(sources: readonly ParsedSource[]): Measured {
  const found = new Map<string, number>();
  for (const { tree } of sources) {
    const exported = tree.statements.filter((statement) => TYPES.has(statement.kind) && isExported(statement));
    for (const name of new Set(exported.map((statement) => nameOf(statement) ?? ''))) add(found, name);
  }
  return new Map([...found].filter(([, files]) => files > 1));
}
