// Sets the version of a release wherever it is written: node tools/set-version.mjs 0.2.0
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version ?? '')) {
  console.error('usage: node tools/set-version.mjs <major.minor.patch>');
  process.exit(2);
}

const packages = ['libs', 'services', '.'].flatMap((place) =>
  place === '.' ? ['package.json'] : readdirSync(place).map((name) => `${place}/${name}/package.json`),
);
for (const path of [...packages, 'test/package.json']) {
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  if (manifest.version !== undefined) manifest.version = version;
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {})) {
      if (name.startsWith('@orch/')) manifest[kind][name] = version;
    }
  }
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
const chart = 'deploy/helm/orch/Chart.yaml';
writeFileSync(chart, readFileSync(chart, 'utf8').replace(/^((?:appV|v)ersion): .*$/gm, `$1: ${version}`));
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { stdio: 'inherit' });
console.log('Now: deploy/manifests/generate.sh, and a heading in CHANGELOG.md.');
