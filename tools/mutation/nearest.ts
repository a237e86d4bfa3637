import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nearestOf } from './nearest-tests.js';
import { ImportGraph } from './related-tests.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
const USAGE = `usage: npx tsx tools/mutation/nearest.ts [options]

Runs the unit tests that lie nearest to what has changed: those of each file that import it by the fewest others.

  --base=COMMIT   what has changed since is looked at, and what is not committed (default HEAD)
  --most=N        files of tests that are run (default 40)
`;

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'HEAD' },
    most: { type: 'string', default: '40' },
    help: { type: 'boolean', default: false },
  },
});

function main(): number {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
      .split('\0')
      .filter((path) => path !== '');
  const changed = [
    ...git('diff', '--name-only', '-z', values.base),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ].filter((path) => /^(?:libs|services)\/[^/]+\/src\/.*\.ts$/.test(path));
  const graph = new ImportGraph(ROOT);
  const { tests, left } = nearestOf(changed, (path) => graph.testsOf(path), Number(values.most));
  const present = tests.filter((test) => existsSync(join(ROOT, test)));
  if (left > 0) console.log(`${left} further files of tests import what has changed: \`make unit\` runs them`);
  if (present.length === 0) {
    console.log('no unit test has to do with what has changed');
    return 0;
  }
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', ...present], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

if (values.help) console.log(USAGE);
else process.exitCode = main();
