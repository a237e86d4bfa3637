import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';

const MAIN = fileURLToPath(new URL('./main.go', import.meta.url));
const RELEASE = '1.27.16';
/** Modules that the reference system's own takes from folders beside it; they are published apart too. */
const STAGED = [
  ...['api', 'apiextensions-apiserver', 'apimachinery', 'apiserver', 'cli-runtime', 'client-go', 'cloud-provider'],
  ...['cluster-bootstrap', 'code-generator', 'component-base', 'component-helpers', 'controller-manager', 'cri-api'],
  ...['csi-translation-lib', 'dynamic-resource-allocation', 'kms', 'kube-aggregator', 'kube-controller-manager'],
  ...['kube-proxy', 'kube-scheduler', 'kubectl', 'kubelet', 'legacy-cloud-providers', 'metrics', 'mount-utils'],
  ...['pod-security-admission', 'sample-apiserver'],
];

/** Path of the plugin, compiled from published modules into the user's cache. Throws when Go or they cannot be had. */
export function buildKubectlConvert(): string {
  const folder = installed(`kubectl-convert-${RELEASE}`, (making) => {
    const replaced = STAGED.map((name) => `\tk8s.io/${name} => k8s.io/${name} v0${RELEASE.slice(1)}`);
    copyFileSync(MAIN, join(making, 'main.go'));
    const required = `module kubectl-convert\n\ngo 1.20\n\nrequire k8s.io/kubernetes v${RELEASE}\n`;
    writeFileSync(join(making, 'go.mod'), `${required}\nreplace (\n${replaced.join('\n')}\n)\n`);
    install(findGo(), ['build', '-mod=mod', '-ldflags=-s -w', '-o', 'kubectl-convert', '.'], making);
  });
  return join(folder, 'kubectl-convert');
}
