import { isConstructorDeclaration, type Node, SyntaxKind } from 'typescript/unstable/ast';
import { hasModifier, isDocumented, isExported } from './declarations.js';
import { add, type Measured, nameOf, type ParsedSource, packageOf } from './sources.js';

/** A member of a class, an interface or an object type, and whether it is explained. */
interface Member {
  readonly name: string;
  readonly documented: boolean;
}

/** A type with its public members and the names of those that it extends or implements. */
interface Declared {
  readonly exported: boolean;
  readonly members: readonly Member[];
  readonly parents: readonly string[];
}

/** Counts of names that are exported, or of public members of exported types. */
export interface Coverage {
  /** How many there are, with and without a docstring. */
  readonly all: number;
  /** Names without a docstring, by package. */
  readonly missing: Measured;
}

const HIDDEN = [SyntaxKind.PrivateKeyword, SyntaxKind.ProtectedKeyword, SyntaxKind.OverrideKeyword] as const;
const PUBLIC = [SyntaxKind.PublicKeyword, SyntaxKind.ReadonlyKeyword] as const;

const documented = ({ text, tree }: ParsedSource, node: Node): boolean => isDocumented(text, node, node.getStart(tree));

/** Exported names: how many there are, and how many lack a docstring. */
export function exportedNames(sources: readonly ParsedSource[]): Coverage {
  const missing = new Map<string, number>();
  let all = 0;
  for (const source of sources)
    for (const statement of source.tree.statements.filter(isExported)) {
      all++;
      if (!documented(source, statement)) add(missing, packageOf(source.path));
    }
  return { all, missing };
}

/** Public members of exported types: one needs no docstring where a member that it implements has one. */
export function publicMembers(sources: readonly ParsedSource[]): Coverage {
  const types = sources.map((source) => [source, [...typesOf(source)]] as const);
  const byName = new Map<string, Declared[]>();
  for (const [name, type] of types.flatMap(([, declared]) => declared))
    byName.set(name, [...(byName.get(name) ?? []), type]);
  const inherits = (parents: readonly string[], member: string, seen = new Set<string>()): boolean =>
    parents.some((parent) => {
      if (seen.has(parent)) return false;
      seen.add(parent);
      return (byName.get(parent) ?? []).some(
        (type) =>
          type.members.some(({ name, documented }) => name === member && documented) ||
          inherits(type.parents, member, seen),
      );
    });
  const missing = new Map<string, number>();
  let all = 0;
  for (const [{ path }, declared] of types)
    for (const [, { exported, members, parents }] of declared)
      for (const member of exported ? members : []) {
        all++;
        if (!member.documented && !inherits(parents, member.name)) add(missing, packageOf(path));
      }
  return { all, missing };
}

/** The types that a source declares, by name. */
function* typesOf(source: ParsedSource): Generator<readonly [string, Declared]> {
  for (const statement of source.tree.statements) {
    const {
      members,
      heritageClauses = [],
      type,
    } = statement as {
      members?: readonly Node[];
      heritageClauses?: readonly Node[];
      type?: Node;
    };
    const bodies = members ?? literalsOf(type);
    const name = nameOf(statement);
    if (name === undefined || statement.kind === SyntaxKind.EnumDeclaration) continue;
    const parents = heritageClauses.flatMap((clause) => [
      ...source.text.slice(clause.pos, clause.end).matchAll(/[A-Z]\w*/g),
    ]);
    const found = new Map([...membersOf(source, bodies)].reverse().map((member) => [member.name, member]));
    const exported = isExported(statement);
    yield [name, { exported, members: [...found.values()], parents: parents.map(([parent]) => parent) }];
  }
}

/** Members of the object types that a type is, or is an intersection of. */
function literalsOf(type: Node | undefined): readonly Node[] {
  if (type?.kind === SyntaxKind.TypeLiteral) return (type as Node & { members: readonly Node[] }).members;
  if (type?.kind !== SyntaxKind.IntersectionType) return [];
  return (type as Node & { types: readonly Node[] }).types.flatMap(literalsOf);
}

function* membersOf(source: ParsedSource, members: readonly Node[]): Generator<Member> {
  for (const member of members) {
    if (isConstructorDeclaration(member)) {
      const whole = documented(source, member);
      for (const parameter of member.parameters)
        if (hasModifier(parameter, ...PUBLIC) && !hasModifier(parameter, ...HIDDEN))
          yield { name: nameOf(parameter) ?? '', documented: whole || documented(source, parameter) };
      continue;
    }
    const name = nameOf(member);
    if (name === undefined || name.startsWith('#') || hasModifier(member, ...HIDDEN)) continue;
    yield { name, documented: documented(source, member) };
  }
}
