import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport\s*\(?|new URL\()\s*'([^']+)'/g;

/** Which files of the workspace import which, by their paths from its root. */
export class ImportGraph {
  readonly #importers = new Map<string, Set<string>>();

  /**
   * @param files those whose imports are looked at, by default the sources of all packages
   * @throws Error where there is no workspace
   */
  constructor(
    private readonly root: string,
    files: readonly string[] = packageSources(root),
  ) {
    for (const file of files) this.#read(file);
  }

  /** Files of tests that a file has something to do with, those first that import it by the fewest others. */
  testsOf(path: string): string[] {
    const distances = new Map([[path, 0]]);
    // A Map iterates over entries that are added meanwhile, too.
    for (const [file, distance] of distances)
      for (const importer of this.#importers.get(file) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    const own = path.replace(/\.ts$/, '.test.ts');
    const rank = (test: string) => (test === own ? 0 : (distances.get(test) ?? 0) * 2 - nearness(test, path));
    return [...distances.keys()].filter(isTest).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  }

  #read(file: string): void {
    for (const [, target = ''] of readFileSync(join(this.root, file), 'utf8').matchAll(IMPORT))
      this.#add(this.#resolve(file, target), file);
  }

  #add(imported: string | undefined, importer: string): void {
    if (imported === undefined) return;
    const known = this.#importers.get(imported);
    if (known) known.add(importer);
    else this.#importers.set(imported, new Set([importer]));
  }

  /** Resolves an import; undefined for a module outside of the workspace. */
  #resolve(from: string, target: string): string | undefined {
    if (target.startsWith('.')) return normalize(join(dirname(from), target.replace(/\.js$/, '.ts')));
    const [, name, below = ''] = /^@orch\/([^/]+)(?:\/(.+))?$/.exec(target) ?? [];
    if (name === undefined) return undefined;
    const folder = ['libs', 'services']
      .map((group) => join(group, name, 'src'))
      .find((at) => existsSync(join(this.root, at)));
    if (!folder) return undefined;
    const candidates = below === '' ? ['index.ts'] : [`${below}/index.ts`, `${below}.ts`, `gen/${below}.ts`];
    return candidates.map((each) => join(folder, each)).find((each) => existsSync(join(this.root, each)));
  }
}

function packageSources(root: string): string[] {
  const folders = ['libs', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name, 'src')),
  );
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.d.ts'))
        .map((entry) => join(folder, entry)),
    );
}

/** The folder of the package that a file is of, from the root of the workspace. */
export const packageOf = (path: string): string => path.split('/', 2).join('/');

const isTest = (path: string): boolean => basename(path).endsWith('.test.ts');

/** Rank among tests at the same distance: those of the same folder come first, then those of the same package. */
function nearness(test: string, path: string): number {
  if (dirname(test) === dirname(path)) return 1;
  return packageOf(test) === packageOf(path) ? 0.5 : 0;
}
