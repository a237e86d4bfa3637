import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_FEATURES, FEATURES, type FeatureName } from './features.js';

const LIBS = join(import.meta.dirname, '../..');
const NAMES = Object.keys(FEATURES) as FeatureName[];

/** All that could ask for a feature. */
function sources(): string {
  const files = readdirSync(LIBS, { recursive: true, withFileTypes: true }).filter(
    (file) =>
      file.isFile() &&
      file.parentPath.includes('/src') &&
      file.name.endsWith('.ts') &&
      !file.name.endsWith('.test.ts') &&
      file.name !== 'features.ts' &&
      !/\/(gen|testing|node_modules|dist)(\/|$)/.test(file.parentPath.slice(LIBS.length)),
  );
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
}

test('a gate that can be set is asked for somewhere', () => {
  const text = sources();
  const idle = NAMES.filter((name) => FEATURES[name].stage !== 'ga' && !text.includes(`'${name}'`));
  expect(idle).toEqual([]);
});

test('what is settled is on, what is early is off', () => {
  for (const name of NAMES) {
    const { stage } = FEATURES[name];
    if (stage === 'ga' || stage === 'alpha')
      expect([name, DEFAULT_FEATURES.enabled(name)]).toEqual([name, stage === 'ga']);
  }
  expect(NAMES).toEqual([...NAMES].sort());
});
