import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goModule } from '../go-module.js';
import { findGo } from '../go-tools.js';
import { install } from '../installed.js';

/** The release whose programs run beside the server: the one that is served. */
export const RELEASE = 'v1.27.16';
/** The module of a release. */
export const KUBERNETES = 'k8s.io/kubernetes';
/** Modules of a release that are not in the sum database at its version; nothing of them is compiled in. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'v1.27.16': { 'k8s.io/legacy-cloud-providers': 'v0.27.4', 'k8s.io/pod-security-admission': 'v0.27.4' },
};

/** Folder of the published module of a release, in the module cache. Throws when Go or the module cannot be had. */
export const releaseSources = (release = RELEASE): string => goModule(KUBERNETES, release);

/** What a module is made for. */
interface ModuleSettings {
  /** Name of the package of what its folder holds already. */
  readonly beside?: string;
  readonly release?: string;
}

/** Makes a folder a Go module in which packages of a release, and of what it requires, can be compiled. */
export function writeReleaseModule(
  folder: string,
  packages: readonly string[],
  { beside = 'component', release = RELEASE }: ModuleSettings = {},
): void {
  const published = releaseSources(release);
  writeFileSync(join(folder, 'go.mod'), requirements(readFileSync(join(published, 'go.mod'), 'utf8'), release));
  copyFileSync(join(published, 'go.sum'), join(folder, 'go.sum'));
  const imports = packages.map((path) => `import _ "${path}"\n`);
  writeFileSync(join(folder, 'tools.go'), `//go:build tools\n\npackage ${beside}\n\n${imports.join('')}`);
  install(findGo(), ['mod', 'tidy', '-e'], folder);
}

/** A module that requires what the published one does, in place of whose folders of sources it takes published modules. */
function requirements(published: string, release: string): string {
  const staging = release.replace('v1.', 'v0.');
  const [language = ''] = /^go .*$/m.exec(published) ?? [];
  const required = [...published.matchAll(/^require \([^)]*^\)/gm)].map(([block]) =>
    block.replaceAll(' v0.0.0\n', ` ${staging}\n`),
  );
  const beside = [...published.matchAll(/^\t(\S+) => \.\/staging/gm)].map(([, module = '']) => {
    return `\t${module} => ${module} ${OTHERWISE[release]?.[module] ?? staging}`;
  });
  return [
    `module component\n\n${language}\n`,
    `require ${KUBERNETES} ${release}\n`,
    ...required,
    `replace (\n${beside.join('\n')}\n)\n`,
  ].join('\n');
}

/** Linker flags for a program that reports its release. */
export function namedAs(release = RELEASE): string {
  const [major, minor] = release.slice(1).split('.');
  const named = [
    `gitVersion=${release}`,
    `gitMajor=${major}`,
    `gitMinor=${minor}`,
    'gitCommit=0',
    'gitTreeState=clean',
  ];
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return ['-s -w', ...packages.flatMap((path) => named.map((value) => `-X ${path}.${value}`))].join(' ');
}
