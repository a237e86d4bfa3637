import type { ApiObject, Names } from '@orch/machinery';
import {
  type BindingRow,
  BOOTSTRAP_BINDINGS,
  BOOTSTRAP_ROLES,
  type BootstrapGate,
  type RoleRow,
  type RuleRow,
  type SubjectRow,
} from './bootstrap-table.js';
import type { PolicyRule } from './policy-rule.js';
import type { ReconciledBinding, ReconciledRole } from './reconcile.js';

/** A role or binding that every installation has, with its namespace. */
export interface BootstrapObject<T> {
  /** The plural of its kind. */
  readonly resource: 'clusterroles' | 'roles' | 'clusterrolebindings' | 'rolebindings';
  /** Empty for cluster-scoped ones. */
  readonly namespace: string;
  /** Name in the installation's profile. */
  readonly name: string;
  /** The object to create. */
  readonly object: T & ApiObject;
}

export type { BootstrapGate };

/** Roles and bindings that every installation has. */
export interface BootstrapPolicy {
  /** Roles, in no particular order. */
  readonly roles: readonly BootstrapObject<ReconciledRole>[];
  /** Bindings to {@link roles}. */
  readonly bindings: readonly BootstrapObject<ReconciledBinding>[];
}

const GROUP = 'rbac.authorization.orch.io';

/** The annotation with which the owner of a role or binding disables updates: with the value `false`. */
export const autoUpdateAnnotation = (names: Names): string => names.key(`${GROUP}/autoupdate`);

/** Users to whom the operator gives a role from the start. */
export interface BoundUsers {
  /** Users with all rights. */
  readonly administrators?: readonly string[];
  /** Users who may do everything through the API of kubelets. */
  readonly kubeletClients?: readonly string[];
}

/**
 * @param enabled whether a feature is on: some rules depend on it
 * @param users users for whom there are bindings beside those of every installation
 */
export function bootstrapPolicy(
  names: Names,
  enabled: (gate: BootstrapGate) => boolean,
  { administrators = [], kubeletClients = [] }: BoundUsers = {},
): BootstrapPolicy {
  const isOn = ({ gate }: { readonly gate?: BootstrapGate }) => gate === undefined || enabled(gate);
  return {
    roles: BOOTSTRAP_ROLES.filter(isOn).map((row) => roleOf(row, names, isOn)),
    bindings: [
      ...BOOTSTRAP_BINDINGS.filter(isOn),
      ...usersRow('cluster-admin-users', 'cluster-admin', administrators),
      ...usersRow('kubelet-client-users', 'system:kubelet-api-admin', kubeletClients),
    ].map((row) => bindingOf(row, names)),
  };
}

function usersRow(name: string, role: string, users: readonly string[]): BindingRow[] {
  if (users.length === 0) return [];
  const subjects = users.map((user) => ({ kind: 'User', name: user }) as const);
  return [{ name, role, subjects }];
}

function roleOf(row: RoleRow, names: Names, isOn: (row: RuleRow) => boolean): BootstrapObject<ReconciledRole> {
  const { namespace = '', partOf = [], madeOf, rules = [] } = row;
  const part = (of: string) => `${names.group(GROUP)}/aggregate-to-${of}`;
  const labels = Object.fromEntries(partOf.map((of) => [part(of), 'true']));
  const object = {
    metadata: metadataOf(row, names, labels),
    rules: rules.filter(isOn).map((each) => ruleOf(each, names)),
    ...(madeOf !== undefined && {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [part(madeOf)]: 'true' } }] },
    }),
  };
  return {
    resource: namespace === '' ? 'clusterroles' : 'roles',
    ...{ namespace, name: object.metadata.name, object: object as ReconciledRole & ApiObject },
  };
}

function bindingOf(row: BindingRow, names: Names): BootstrapObject<ReconciledBinding> {
  const { namespace = '', role = row.name, subjects } = row;
  const apiGroup = names.group(GROUP);
  const kind = namespace === '' ? 'ClusterRole' : 'Role';
  const object = {
    metadata: metadataOf(row, names, {}),
    roleRef: { apiGroup, kind, name: named(role, names) },
    subjects: subjects.map((subject) => subjectOf(subject, apiGroup)),
  };
  return {
    resource: namespace === '' ? 'clusterrolebindings' : 'rolebindings',
    ...{ namespace, name: object.metadata.name, object: object as ReconciledBinding & ApiObject },
  };
}

function metadataOf(
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  names: Names,
  labels: Readonly<Record<string, string>>,
) {
  return {
    name: named(name, names),
    ...(namespace !== undefined && { namespace }),
    labels: { [names.key('orch.io/bootstrapping')]: 'rbac-defaults', ...labels },
    annotations: { [autoUpdateAnnotation(names)]: 'true' },
  };
}

/** Translates a role's name if it contains a group. */
const named = (name: string, names: Names): string =>
  name.replace('certificates.orch.io', names.group('certificates.orch.io'));

function ruleOf({ verbs, groups, resources, names: resourceNames, paths }: RuleRow, names: Names): PolicyRule {
  if (paths !== undefined) return { verbs: words(verbs), nonResourceURLs: words(paths) };
  return {
    verbs: words(verbs),
    apiGroups: words(groups).map((group) => (group === 'core' ? '' : names.group(group))),
    resources: words(resources),
    ...(resourceNames !== undefined && { resourceNames: words(resourceNames).map((name) => names.key(name)) }),
  };
}

const subjectOf = ({ kind, name }: SubjectRow, apiGroup: string) =>
  kind === 'ServiceAccount' ? { kind, name, namespace: 'kube-system' } : { kind, apiGroup, name };

const words = (text = ''): string[] => text.split(' ');
