import { join } from 'node:path';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';

/** The oldest releases of both that the sum database of Go has, and that build with a Go of today. */
const SAMPLE = { name: 'sample-apiserver', package: 'k8s.io/sample-apiserver', version: 'v0.34.12' } as const;
const ETCD = { name: 'etcd', package: 'go.etcd.io/etcd/server/v3', version: 'v3.6.8' } as const;

/** Paths of the two programs. */
export interface SamplePrograms {
  /** Kubernetes' example of a server of group-versions of its own. */
  readonly server: string;
  /** Path of etcd, which holds its objects. */
  readonly etcd: string;
}

/**
 * Paths of the example of a server of group-versions and of its database, compiled from published modules: some minutes at first,
 * then they are in the user's cache. Throws when Go or the modules cannot be had.
 */
export const buildSampleApiserver = (): SamplePrograms => ({ server: built(SAMPLE), etcd: buildEtcd() });

/** Path of etcd, compiled in the same way. */
export const buildEtcd = (): string => built(ETCD);

function built({ name, package: path, version }: typeof SAMPLE | typeof ETCD): string {
  const folder = installed(`${name}-${version}`, (making) => {
    const go = findGo();
    install(go, ['mod', 'init', name], making);
    install(go, ['get', '-tool', `${path}@${version}`], making);
    install(go, ['build', '-mod=mod', '-buildvcs=false', '-o', name, path], making);
  });
  return join(folder, name);
}
