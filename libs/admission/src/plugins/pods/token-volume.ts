import { generateName } from '@orch/machinery';
import type { Container, PodSpec, Volume } from '@orch/schema/types/core/v1';

const PREFIX = 'kube-api-access-';
/**
 * Lifetime of tokens, seconds. Tokens of exactly this lifetime are accepted for a year, with a warning, which
 * identifies clients that do not reload them.
 */
const TOKEN_SECONDS = 3607;
const FILE_MODE = 0o644;

/** Mounts a token of the pod's account, the CA and the namespace into containers that mount nothing at that path. */
export function mountToken(spec: PodSpec, mountPath: string): void {
  const { volumes = [], initContainers = [], containers = [] } = spec;
  const own = volumes.find(({ name = '' }) => name.startsWith(PREFIX))?.name;
  const lacking = [...initContainers, ...containers].filter((container) => !mountsAt(container, mountPath));
  if (lacking.length === 0) return;
  const name = own ?? generateName(PREFIX);
  for (const container of lacking)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  if (own === undefined) spec.volumes = [...volumes, tokenVolume(name)];
}

const mountsAt = ({ volumeMounts = [] }: Container, path: string): boolean =>
  volumeMounts.some(({ mountPath }) => mountPath === path);

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    defaultMode: FILE_MODE,
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
});
