import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goModule } from '../go-module.js';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';

/** The release whose components run beside the server: the one that is served. */
const RELEASE = 'v1.27.16';
/** The version of the modules that a release is published as. */
const STAGING = RELEASE.replace('v1.', 'v0.');
/** These two are not in the sum database at that version; nothing of them is compiled in. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'k8s.io/legacy-cloud-providers': 'v0.27.4',
  'k8s.io/pod-security-admission': 'v0.27.4',
};

export type Component = 'kube-controller-manager' | 'kube-scheduler' | 'kube-apiserver' | 'kubelet' | 'kube-proxy';

/**
 * Path of a component of Kubernetes, unchanged, compiled from its published module: ten minutes at first, then it is in the user's
 * cache. Throws when Go or the modules cannot be had.
 */
export function buildComponent(name: Component): string {
  const folder = installed(`${name}-${RELEASE}`, (making) => {
    const published = goModule('k8s.io/kubernetes', RELEASE);
    writeFileSync(join(making, 'go.mod'), requirements(readFileSync(join(published, 'go.mod'), 'utf8')));
    copyFileSync(join(published, 'go.sum'), join(making, 'go.sum'));
    const path = `k8s.io/kubernetes/cmd/${name}`;
    writeFileSync(join(making, 'tools.go'), `//go:build tools\n\npackage component\n\nimport _ "${path}"\n`);
    install(findGo(), ['mod', 'tidy', '-e'], making);
    const flags = ['-mod=mod', '-p=2', '-buildvcs=false', '-tags=providerless', `-ldflags=${namedAs()}`];
    install(findGo(), ['build', ...flags, '-o', name, path], making);
  });
  return join(folder, name);
}

/** A module that requires what the published one does, in place of whose folders of sources it takes published modules. */
function requirements(published: string): string {
  const required = [...published.matchAll(/^require \([^)]*^\)/gm)].map(([block]) =>
    block.replaceAll(' v0.0.0\n', ` ${STAGING}\n`),
  );
  const beside = [...published.matchAll(/^\t(\S+) => \.\/staging/gm)].map(([, module = '']) => {
    return `\t${module} => ${module} ${OTHERWISE[module] ?? STAGING}`;
  });
  return [
    'module component\n\ngo 1.20\n',
    `require k8s.io/kubernetes ${RELEASE}\n`,
    ...required,
    `replace (\n${beside.join('\n')}\n)\n`,
  ].join('\n');
}

/** Returns linker flags for a program that reports its release. */
function namedAs(): string {
  const [major, minor] = RELEASE.slice(1).split('.');
  const named = [`gitVersion=${RELEASE}`, `gitMajor=${major}`, `gitMinor=${minor}`];
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return ['-s -w', ...packages.flatMap((path) => named.map((value) => `-X ${path}.${value}`))].join(' ');
}
