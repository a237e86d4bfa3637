import { join } from 'node:path';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';
import { KUBERNETES, namedAs, RELEASE, writeReleaseModule } from './release-module.js';

export type Component = 'kube-controller-manager' | 'kube-scheduler' | 'kube-apiserver' | 'kubelet' | 'kube-proxy';

/**
 * Path of a component of Kubernetes, unchanged, compiled from its published module: ten minutes at first, then it is in the user's
 * cache. Throws when Go or the modules cannot be had.
 */
export function buildComponent(name: Component): string {
  const folder = installed(`${name}-${RELEASE}-named`, (making) => {
    const path = `${KUBERNETES}/cmd/${name}`;
    writeReleaseModule(making, [path]);
    const flags = ['-mod=mod', '-p=2', '-buildvcs=false', '-tags=providerless', `-ldflags=${namedAs()}`];
    install(findGo(), ['build', ...flags, '-o', name, path], making);
  });
  return join(folder, name);
}
