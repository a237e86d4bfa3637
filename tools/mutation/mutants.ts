import { isTypeNode, type Node, SyntaxKind } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';
import { OPERATORS, type Replacement, type SourceText } from './operators.js';

/** A text that is wrong in one place. */
export interface Mutant extends Replacement {
  /** Line of its first character, from 1. */
  readonly line: number;
  /** The replaced text. */
  readonly original: string;
}

/** Kinds of nodes that hold no code that runs. */
const WITHOUT_CODE: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
]);

/**
 * Every mutant of a TypeScript file, in the order of their places.
 * @param lines on which one may begin, from 1; default all
 * @throws Error for a text that cannot be read
 */
export function mutantsOf(text: string, lines?: ReadonlySet<number>): Mutant[] {
  const found = replacementsOf(text);
  const starts = lineStarts(text);
  return found
    .map((each): Mutant => ({ ...each, line: lineAt(starts, each.start), original: text.slice(each.start, each.end) }))
    .filter(({ line, original, text: wrong }) => (lines?.has(line) ?? true) && original !== wrong)
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** A text with one of its mutants in it. */
export const mutated = (text: string, { start, end, text: wrong }: Replacement): string =>
  text.slice(0, start) + wrong + text.slice(end);

function replacementsOf(text: string): Replacement[] {
  const project = JSON.stringify({ compilerOptions: { noLib: true, noResolve: true }, files: ['a.ts'] });
  const api = new API({ fs: createVirtualFileSystem({ '/s/tsconfig.json': project, '/s/a.ts': text }) });
  try {
    const snapshot = api.updateSnapshot({ openProjects: ['/s/tsconfig.json'] });
    const program = snapshot.getProject('/s/tsconfig.json')?.program;
    const file = program?.getSourceFile('/s/a.ts');
    if (!program || !file) throw new Error('the compiler has not read the text');
    const [fault] = program.getSyntacticDiagnostics('/s/a.ts');
    if (fault) throw new Error(`the text is no TypeScript: ${fault.text}`);
    const source: SourceText = {
      start: (node) => node.getStart(file),
      text: (node) => text.slice(node.getStart(file), node.end),
    };
    return [...each(file, source)];
  } finally {
    api.close();
  }
}

function* each(node: Node, source: SourceText): Iterable<Replacement> {
  if (WITHOUT_CODE.has(node.kind) || isTypeNode(node)) return;
  for (const operator of OPERATORS) yield* operator(node, source);
  const below: Node[] = [];
  node.forEachChild((child) => {
    below.push(child);
  });
  for (const child of below) yield* each(child, source);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

const lineAt = (starts: readonly number[], offset: number): number => {
  const next = starts.findIndex((start) => start > offset);
  return next < 0 ? starts.length : next;
};

/** So many of them, spread evenly over all. */
export const spread = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most
    ? [...all]
    : Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)] as T);
