/**
 * The tests of controllers and of their framework, unchanged, as they start a control plane by envtest: passed, failed and skipped of each
 * package, and the names of what failed; ends with 1 where anything did. Needs Go; compiling takes minutes at first.
 *
 *   npx tsx test/clients/envtest-suites/main.ts [SUITE…] [--package=PATH…] [--focus=PATTERN] [--assets=DIR] [--logs=DIR]
 *
 * `--assets` names a folder of other programs `etcd` and `kube-apiserver`, as the real ones, to compare with; `--logs` one for what the
 * tests print.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ASSETS, runPackage } from './run-suite.js';
import { SUITES } from './suites.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    package: { type: 'string', multiple: true },
    focus: { type: 'string' },
    assets: { type: 'string', default: ASSETS },
    logs: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => SUITES.every((suite) => suite.name !== name));
if (unknown.length > 0)
  throw new RangeError(`no suite ${unknown.join(', ')}: ${SUITES.map(({ name }) => name).join(', ')}`);

for (const suite of SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  for (const path of values.package ?? suite.packages) {
    const { name, passed, failed, skipped, failures, seconds, output } = await runPackage(
      suite,
      path,
      values.assets,
      values.focus,
    );
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds} s`);
    for (const failure of failures) console.log(`  ${failure}`);
    if (failures.length + failed > 0) process.exitCode = 1;
    if (values.logs === undefined) continue;
    mkdirSync(values.logs, { recursive: true });
    writeFileSync(join(values.logs, `${name.replaceAll(/[^\w-]+/g, '_')}.log`), output);
  }
}
