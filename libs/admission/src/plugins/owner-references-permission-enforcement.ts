import { isDeepStrictEqual } from 'node:util';
import type { RequestAttributes } from '@orch/authorization';
import { type ApiObject, type OwnerReference, parseApiVersion } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { EvaluationTurns } from '../matching/evaluation-turns.js';
import type { PluginContext, PluginMaker } from '../plugin.js';
import { refusal } from '../refusal.js';

/**
 * Requires the right to delete an object from users who change its owners, as deleting an owner deletes it too, and the
 * right to set finalizers of an owner from users who let the object block that owner's deletion.
 */
export const ownerReferencesPermissionEnforcement: PluginMaker = (context) => ({
  name: 'OwnerReferencesPermissionEnforcement',
  readsOnly: true,
  callsOut: context.settings.authorizerCallsOut,
  // The status of pods has no owners, and is written far more often than everything else.
  handles: ({ operation, group, resource, subresource }) =>
    operation !== 'DELETE' && !(group === '' && resource === 'pods' && subresource === 'status'),
  async validate(attributes) {
    const [owners, old] = [ownersOf(attributes.object), ownersOf(attributes.oldObject)];
    if (isDeepStrictEqual(owners, old)) return;
    if (attributes.operation !== 'CREATE') await requireDeletion(attributes);
    const blocking = newlyBlocking(owners, old);
    if (blocking.length === 0 || (await isAllowed(attributes, FINALIZE_ANYTHING)) === true) return;
    // There may be tens of thousands, and an authorizer that knows the answer does not wait for I/O.
    const turns = new EvaluationTurns();
    for (const owner of blocking) {
      await turns.between();
      await requireFinalizers(context, attributes, owner);
    }
  },
});

const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? [];

/** Returns the references that block the deletion of their owner and did not before. */
function newlyBlocking(owners: readonly OwnerReference[], old: readonly OwnerReference[]): readonly OwnerReference[] {
  const before = new Map(old.map((owner) => [owner.uid, owner.blockOwnerDeletion]));
  return owners.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !before.get(uid));
}

type Asked = Pick<RequestAttributes, 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

const FINALIZE_ANYTHING: Asked = {
  verb: 'update',
  group: '*',
  version: '*',
  resource: '*',
  subresource: 'finalizers',
  namespace: '',
  name: '*',
};

/** Asks the authorizer. @returns true, or the reason as it stands in messages */
async function isAllowed({ authorizer, user }: Attributes, asked: Asked): Promise<true | string> {
  try {
    const request = { ...asked, isResourceRequest: true, path: '' };
    const { decision, reason } = await authorizer.authorize(user, request);
    return decision === 'allow' ? true : `${reason}, <nil>`;
  } catch (error) {
    return `, ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function requireDeletion(attributes: Attributes): Promise<void> {
  const { group, version, resource, subresource, namespace, name } = attributes;
  const allowed = await isAllowed(attributes, {
    verb: 'delete',
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
  });
  if (allowed !== true) throw refusal(attributes, `cannot set an ownerRef on a resource you can't delete: ${allowed}`);
}

async function requireFinalizers(
  { servedAs }: PluginContext,
  attributes: Attributes,
  { apiVersion, kind, name }: OwnerReference,
): Promise<void> {
  const owner = parseApiVersion(apiVersion);
  const served = owner ? servedAs(owner.group, owner.version, kind) : [];
  if (served.length === 0) {
    const where = `because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    const unread = `unexpected GroupVersion string: ${apiVersion}`;
    const why = owner ? `no matches for kind "${kind}" in version "${apiVersion}"` : unread;
    throw refusal(attributes, `cannot set blockOwnerDeletion in this case ${where}: ${why}`);
  }
  for (const { group, version, resource, namespaced } of served) {
    const namespace = namespaced ? attributes.namespace : '';
    const about = { group, version, resource, subresource: 'finalizers', namespace, name };
    const allowed = await isAllowed(attributes, { verb: 'update', ...about });
    if (allowed === true) continue;
    const what = "if an ownerReference refers to a resource you can't set finalizers on";
    throw refusal(attributes, `cannot set blockOwnerDeletion ${what}: ${allowed}`);
  }
}
