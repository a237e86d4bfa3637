import { clusterInfoText } from '@orch/client';
import type { Names } from '@orch/machinery';

/** A bootstrap token, and the cluster that nodes join with it. */
export interface JoinSettings {
  /** URL of the API. */
  readonly server: string;
  /** Authority of the server's certificate, PEM. */
  readonly ca: string;
  /** First part of the token, public. */
  readonly tokenId: string;
  /** Second part of the token, secret. */
  readonly tokenSecret: string;
  /** End of the token; absent for one that never expires. */
  readonly expires: Date | undefined;
  /** Groups beside `system:bootstrappers`. */
  readonly groups: readonly string[];
  /** Purpose of the token, for people. */
  readonly description: string | undefined;
  /** Names of API groups. */
  readonly names: Names;
}

const BOOTSTRAPPERS = 'system:bootstrappers';
const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' };
const READER = { namespace: 'kube-public', name: 'cluster-info-reader' };

/**
 * Returns the objects by which nodes join, as kubeadm makes them: the token's Secret, the ConfigMap `cluster-info` that
 * anybody may read and the server signs with the token, and the rights to request a first certificate and to renew it.
 */
export function joinManifests(settings: JoinSettings): object[] {
  const rbac = settings.names.group('rbac.authorization.orch.io');
  const requests = `system:${settings.names.group('certificates.orch.io')}:certificatesigningrequests`;
  const grants = [
    ['kubelet-bootstrap', 'system:node-bootstrapper', BOOTSTRAPPERS],
    ['node-autoapprove-bootstrap', `${requests}:nodeclient`, BOOTSTRAPPERS],
    ['node-autoapprove-certificate-rotation', `${requests}:selfnodeclient`, 'system:nodes'],
  ] as const;
  return [
    tokenSecret(settings),
    clusterInfo(settings),
    clusterInfoReader(rbac),
    clusterInfoReaders(rbac),
    ...grants.map(([name, role, group]) => clusterRoleBinding(rbac, name, role, group)),
  ];
}

function tokenSecret({ tokenId, tokenSecret, expires, groups, description, names }: JoinSettings): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${tokenId}` },
    type: names.key('bootstrap.orch.io/token'),
    stringData: {
      ...(description !== undefined && { description }),
      'token-id': tokenId,
      'token-secret': tokenSecret,
      ...(expires && { expiration: `${expires.toISOString().slice(0, 19)}Z` }),
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      ...(groups.length > 0 && { 'auth-extra-groups': groups.join(',') }),
    },
  };
}

const clusterInfo = ({ server, ca }: JoinSettings): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: CLUSTER_INFO,
  data: { kubeconfig: clusterInfoText({ server, ca }) },
});

const clusterInfoReader = (rbac: string): object => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: READER,
  rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [CLUSTER_INFO.name], verbs: ['get'] }],
});

const clusterInfoReaders = (rbac: string): object => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: READER,
  roleRef: { apiGroup: rbac, kind: 'Role', name: READER.name },
  subjects: [{ apiGroup: rbac, kind: 'User', name: 'system:anonymous' }],
});

const clusterRoleBinding = (rbac: string, name: string, role: string, group: string): object => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: rbac, kind: 'Group', name: group }],
});
