import { execFileSync } from 'node:child_process';

/**
 * Sources that are mutated: those of libraries and services, without tests, what only tests use, and what is generated.
 */
export const isSource = (path: string): boolean =>
  /^(?:libs|services)\/[^/]+\/src\/.*\.ts$/.test(path) && !/\.(?:test|d)\.ts$|\/(?:testing|gen)\//.test(path);

/**
 * The lines, from 1, that a range of commits and the working tree have added to or changed in sources, by path from the
 * root.
 * @param base a commit; what has changed since it and this branch parted counts
 * @throws Error for a base that git does not know
 */
export function changedLines(root: string, base: string): Map<string, Set<number>> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  const parted = git('merge-base', base, 'HEAD').trim();
  return linesOf(git('diff', '--unified=0', '--no-color', '--no-ext-diff', parted, '--', 'libs', 'services'));
}

/** Added lines of sources in a diff without context. */
export function linesOf(diff: string): Map<string, Set<number>> {
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const line of diff.split('\n')) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      lines = new Set();
      if (isSource(file)) changed.set(file, lines);
    }
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let at = 0; from !== undefined && at < Number(count); at++) lines.add(Number(from) + at);
  }
  return changed;
}
