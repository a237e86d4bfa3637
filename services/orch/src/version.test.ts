import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RELEASE } from '@orch/runtime';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const text = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
const packages = ['libs', 'services'].flatMap((place) =>
  readdirSync(`${ROOT}${place}`).map((name) => `${place}/${name}/package.json`),
);

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

it('has one version everywhere (tools/set-version.mjs sets it)', () => {
  const versions = new Set<string>();
  for (const path of ['package.json', ...packages]) {
    const { version, dependencies = {} } = JSON.parse(text(path)) as Manifest;
    versions.add(version);
    for (const [name, wanted] of Object.entries(dependencies)) if (name.startsWith('@orch/')) versions.add(wanted);
  }
  const chart = text('deploy/helm/orch/Chart.yaml');
  for (const [, version = ''] of chart.matchAll(/^(?:appV|v)ersion: (.*)$/gm)) versions.add(version);
  for (const [, version = ''] of text('deploy/manifests/orch.yaml').matchAll(/kubernetes\.io\/version: "(.*)"$/gm)) {
    versions.add(version);
  }
  expect([...versions]).toEqual([RELEASE]);
});

it('is told of in the changelog', () => {
  expect(text('CHANGELOG.md')).toContain(`\n## ${RELEASE}`);
});
