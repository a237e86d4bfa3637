import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIdentifier, type Node, type SourceFile } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

/** A TypeScript file with its syntax tree. */
export interface ParsedSource {
  /** Path from the root of the repository. */
  readonly path: string;
  /** The whole file. */
  readonly text: string;
  /** Its syntax, without types. */
  readonly tree: SourceFile;
}

/** Measures what a check bounds: an amount by name, such as the lines of a function that is too long. */
export type Measured = ReadonlyMap<string, number>;

const ROOTS = ['libs', 'services', 'test', 'tools'];
const SKIPPED = /(?:^|\/)(?:node_modules|dist|build)\//;

/** Reads every TypeScript file of the repository: sources, tests, benchmarks and tools, by path. */
export function readTexts(): Map<string, string> {
  const paths = ROOTS.flatMap((root) =>
    readdirSync(root, { encoding: 'utf8', recursive: true }).map((name) => join(root, name)),
  );
  const wanted = paths.filter((path) => /(?<!\.d)\.ts$/.test(path) && !SKIPPED.test(path));
  return new Map(wanted.sort().map((path) => [path, readFileSync(path, 'utf8')]));
}

/** Parses files without resolving their imports. @throws Error for a text that is no TypeScript */
export function parse(texts: ReadonlyMap<string, string>): ParsedSource[] {
  const files = Object.fromEntries([...texts].map(([path, text]) => [`/s/${path}`, text]));
  const compilerOptions = { noLib: true, noResolve: true, types: [] };
  const project = JSON.stringify({ compilerOptions, files: Object.keys(files) });
  const api = new API({ fs: createVirtualFileSystem({ ...files, '/s/tsconfig.json': project }) });
  try {
    const program = api.updateSnapshot({ openProjects: ['/s/tsconfig.json'] }).getProject('/s/tsconfig.json')?.program;
    return [...texts].map(([path, text]) => {
      const tree = program?.getSourceFile(`/s/${path}`);
      if (!tree) throw new Error(`the compiler has not read ${path}`);
      return { path, text, tree };
    });
  } finally {
    api.close();
  }
}

/** Whether a path is a hand-written source of a library, a service or a tool; what tests share is none. */
export const isSource = (path: string): boolean =>
  /^(?:(?:libs|services)\/[^/]+\/src|tools)\//.test(path) &&
  !/\.test\.ts$|\/vitest\.config\.ts$|\/(?:contract|testing|gen)\//.test(path) &&
  !path.startsWith('libs/testing/');

/** The package of a file: its first two folders. */
export const packageOf = (path: string): string => path.split('/').slice(0, 2).join('/');

/** The node and all below it, parents first. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** Lines that a node takes, its docstring aside. */
export function linesOf({ text, tree }: ParsedSource, node: Node): number {
  return text.slice(node.getStart(tree), node.end).split('\n').length;
}

/** The name that a declaration gives; undefined for none, and for computed names and patterns. */
export function nameOf(node: Node): string | undefined {
  const { name } = node as { name?: Node };
  return name && (isIdentifier(name) || 'text' in name) ? (name as { text: string }).text : undefined;
}

/** Adds to an amount by name. */
export const add = (amounts: Map<string, number>, name: string, more = 1): void => {
  amounts.set(name, (amounts.get(name) ?? 0) + more);
};
