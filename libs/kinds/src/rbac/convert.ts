import { formatApiVersion, type Names } from '@orch/machinery';
import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited } from '../values/edited.js';
import { type Json, textAt } from '../values/fields.js';

const GROUP = 'rbac.authorization.orch.io';
const HUB = `${GROUP}/v1`;
const ALL_AUTHENTICATED = 'system:authenticated';
const BINDINGS = ['ClusterRoleBinding', 'RoleBinding'];

/** Subjects were named by the version of their kind; the user `*` stood for everybody who is known. */
const toV1: Conversion = (object, { names }) =>
  edited(object, 'subjects.*', ({ apiVersion, ...subject }) => {
    const group = groupOf(textAt(subject, 'kind'), String(apiVersion ?? ''), names);
    if (subject.kind === 'User' && subject.name === '*') {
      return { ...subject, kind: 'Group', name: ALL_AUTHENTICATED, apiGroup: group };
    }
    return group === '' ? subject : { ...subject, apiGroup: group };
  });

function groupOf(kind: string, apiVersion: string, names: Names): string {
  if (kind === 'ServiceAccount') return '';
  if (kind === 'User' || kind === 'Group') return names.group(GROUP);
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? '' : group;
}

const toV1alpha1: Conversion = (object, { names }) =>
  edited(object, 'subjects.*', ({ apiGroup, ...subject }) => {
    const apiVersion = versionFor(subject, String(apiGroup ?? ''), names);
    return apiVersion === '' ? subject : { ...subject, apiVersion };
  });

function versionFor({ kind }: Json, apiGroup: string, names: Names): string {
  if (kind === 'ServiceAccount' && apiGroup === '') return 'v1';
  const own = names.group(GROUP);
  if ((kind === 'User' || kind === 'Group') && apiGroup === own) {
    return formatApiVersion({ group: own, version: 'v1alpha1' });
  }
  // Any version of the group will do.
  return apiGroup === '' ? '' : `${apiGroup}/`;
}

/** How roles and bindings were written before `rbac.authorization.orch.io/v1`. */
export const RBAC_VERSIONS: readonly VersionConversion[] = [
  { version: `${GROUP}/v1beta1`, kinds: ['ClusterRole', 'Role', ...BINDINGS], hub: HUB },
  { version: `${GROUP}/v1alpha1`, kinds: ['ClusterRole', 'Role'], hub: HUB },
  { version: `${GROUP}/v1alpha1`, kinds: BINDINGS, hub: HUB, toHub: toV1, fromHub: toV1alpha1 },
];
