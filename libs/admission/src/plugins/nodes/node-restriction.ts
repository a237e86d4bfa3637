import { isDeepStrictEqual } from 'node:util';
import { namesInPod, nodeOf } from '@orch/authorization';
import { type ApiObject, type Names, notFound } from '@orch/machinery';
import type { TokenRequest } from '@orch/schema/types/authentication/v1';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import type { OwnerReference } from '@orch/schema/types/meta/v1';
import type { Attributes, Target } from '../../attributes.js';
import type { KnownObjects } from '../../known-objects.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { oldPodOf, podOf } from '../pods/pod-containers.js';
import { NodeLabels } from './node-labels.js';

const PODS = { group: '', resource: 'pods' };
const NODES = { group: '', resource: 'nodes' };
const LEASES = 'kube-node-lease';

/** A write by a node, and what is needed to check it. */
interface Request {
  readonly node: string;
  readonly attributes: Attributes;
  readonly objects: KnownObjects;
  readonly names: Names;
  readonly labels: NodeLabels;
}
type NodeCheck = (request: Request) => void | Promise<void>;

/**
 * Limits nodes to writes about themselves and about the pods that are bound to them (kubernetes v1.27.16,
 * plugin/pkg/admission/noderestriction, with what later releases refuse).
 */
export const nodeRestriction: PluginMaker = ({ names, objects }) => {
  const checks = new Map<string, NodeCheck>([
    ['/pods', checkPod],
    ['/nodes', checkNode],
    ['/persistentvolumeclaims', checkClaim],
    ['/serviceaccounts', checkToken],
    [`${names.group('coordination.orch.io')}/leases`, checkLease],
    [`${names.group('storage.orch.io')}/csinodes`, checkCsiNode],
  ]);
  const checkOf = ({ group, resource }: Target) => checks.get(`${group}/${resource}`);
  const labels = new NodeLabels(names);
  return {
    name: 'NodeRestriction',
    // A new pod, an eviction or a token refers to an object that is read.
    callsOut: ({ operation, resource }) =>
      operation === 'CREATE' && (resource === 'pods' || resource === 'serviceaccounts'),
    handles: (target) => checkOf(target) !== undefined,
    admit(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return undefined;
      if (node === '')
        throw refusal(attributes, `could not determine node from user ${JSON.stringify(attributes.user.name)}`);
      return checkOf(attributes)?.({ node, attributes, objects, names, labels });
    },
  };
};

const no = ({ attributes }: Request, why: string) => refusal(attributes, why);

/** Returns the name of the object; '' if it is still to be generated, which equals no name of a node. */
const namedIn = ({ name, object }: Attributes): string => name || (object?.metadata?.name ?? '');

function checkPod(request: Request): void | Promise<void> {
  const { attributes, node } = request;
  const { subresource, operation } = attributes;
  if (subresource === 'status') return checkPodStatus(request);
  if (subresource === 'eviction') return checkEviction(request);
  if (subresource !== '')
    throw no(request, `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
  if (operation === 'CREATE') return checkNewPod(request);
  if (operation !== 'DELETE')
    throw no(request, `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
  if (oldPodOf(attributes).spec?.nodeName !== node)
    throw no(request, `node "${node}" can only delete pods with spec.nodeName set to itself`);
}

async function checkNewPod(request: Request): Promise<void> {
  const { attributes, node, names } = request;
  const { metadata, spec = {} } = podOf(attributes);
  const mirror = names.key('orch.io/config.mirror');
  if (!Object.hasOwn(metadata?.annotations ?? {}, mirror))
    throw no(request, `pod does not have "${mirror}" annotation, node "${node}" can only create mirror pods`);
  if (spec.nodeName !== node) throw no(request, `node "${node}" can only create pods with spec.nodeName set to itself`);
  await checkOwners(request, metadata?.ownerReferences ?? []);
  const cannot = (what: string) => no(request, `node "${node}" can not create pods that reference ${what}`);
  if (spec.serviceAccountName) throw cannot('a service account');
  const named = namesInPod(podOf(attributes));
  if (named.secret.length > 0) throw cannot('secrets');
  if (named.configmap.length > 0) throw cannot('configmaps');
  if (spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim)) throw cannot('persistentvolumeclaims');
  // CVE-2025-4563.
  if (spec.resourceClaims && spec.resourceClaims.length > 0) throw cannot('resourceclaims');
}

async function checkOwners(request: Request, owners: readonly OwnerReference[]): Promise<void> {
  const { node, objects } = request;
  const only = (what: string) => no(request, `node "${node}" can only create pods with ${what} set to itself`);
  const [owner, ...others] = owners;
  if (others.length > 0) throw only('a single owner reference');
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) throw only('an owner reference');
  if (!owner.controller) throw only('a controller owner reference');
  if (owner.blockOwnerDeletion)
    throw no(request, `node "${node}" must not set blockOwnerDeletion on an owner reference`);
  const found = await objects.read(NODES, '', node);
  if (!found) throw notFound(NODES, node);
  const uid = found.metadata?.uid ?? '';
  if (owner.uid !== uid) throw no(request, `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`);
}

function checkPodStatus(request: Request): void {
  const { attributes, node } = request;
  if (attributes.operation !== 'UPDATE') throw no(request, `unexpected operation "${attributes.operation}"`);
  const [old, pod] = [oldPodOf(attributes), podOf(attributes)];
  if (old.spec?.nodeName !== node)
    throw no(request, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  if (!isDeepStrictEqual({ ...old.metadata?.labels }, { ...pod.metadata?.labels }))
    throw no(request, `node "${node}" cannot update labels through pod status`);
}

async function checkEviction(request: Request): Promise<void> {
  const { attributes, node } = request;
  if (attributes.operation !== 'CREATE') throw no(request, `unexpected operation ${attributes.operation}`);
  const name = namedIn(attributes);
  if (name === '') throw no(request, 'could not determine pod from request data');
  const pod = await podNamed(request, name);
  if (pod.spec?.nodeName !== node)
    throw no(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
}

async function podNamed({ objects, attributes: { namespace } }: Request, name: string): Promise<Pod> {
  const pod = await objects.read(PODS, namespace, name);
  if (!pod) throw notFound(PODS, name);
  return pod as Pod;
}

function checkNode(request: Request): void {
  const { attributes, node, labels } = request;
  const { name, operation } = attributes;
  if (name !== node) throw no(request, `node "${node}" is not allowed to modify node "${name}"`);
  if (operation === 'DELETE') return;
  const [{ metadata, spec = {} }, old] = [(attributes.object ?? {}) as Node, (attributes.oldObject ?? {}) as Node];
  const forbidden = labels.forbidden(metadata?.labels, old.metadata?.labels).join(', ');
  // The garbage collector would delete the node with the owner, and its taints with it (CVE-2025-5187).
  if (!isDeepStrictEqual(metadata?.ownerReferences ?? [], old.metadata?.ownerReferences ?? []))
    throw no(request, `node "${node}" is not allowed to modify ownerReferences`);
  if (operation === 'CREATE') {
    if (spec.configSource)
      throw no(request, `node "${node}" is not allowed to create pods with a non-nil configSource`);
    if (forbidden) throw no(request, `node "${node}" is not allowed to set the following labels: ${forbidden}`);
    return;
  }
  if (spec.configSource && !isDeepStrictEqual(spec.configSource, old.spec?.configSource))
    throw no(request, `node "${node}" is not allowed to update configSource to a new non-nil configSource`);
  if (!isDeepStrictEqual(spec.taints ?? [], old.spec?.taints ?? []))
    throw no(request, `node "${node}" is not allowed to modify taints`);
  if (forbidden) throw no(request, `is not allowed to modify labels: ${forbidden}`);
}

function checkClaim(request: Request): void {
  const { attributes, node } = request;
  if (attributes.subresource !== 'status') throw no(request, 'may only update PVC status');
  if (attributes.operation !== 'UPDATE') throw no(request, `unexpected operation "${attributes.operation}"`);
  const [old, claim] = [attributes.oldObject, attributes.object].map(withoutNodesPart) as [ApiObject, ApiObject];
  const changed = [...new Set([...Object.keys(old), ...Object.keys(claim)])].filter(
    (member) => !isDeepStrictEqual(old[member], claim[member]),
  );
  if (changed.length === 0) return;
  const what = `node "${node}" is not allowed to update fields other than status.capacity and status.conditions`;
  throw no(request, `${what}: ${changed.sort().join(', ')}`);
}

/** Returns a claim without the parts that its node may write. */
function withoutNodesPart({ metadata, status, ...rest }: ApiObject = {}): ApiObject {
  const { resourceVersion: _version, managedFields: _owners, ...identity } = metadata ?? {};
  const members = Object.entries((status ?? {}) as object).filter(([member]) => !NODES_PART.has(member));
  return { ...rest, metadata: identity, status: Object.fromEntries(members) };
}

const NODES_PART: ReadonlySet<string> = new Set(['capacity', 'conditions', 'resizeStatus', 'allocatedResources']);

async function checkToken(request: Request): Promise<void> {
  const { attributes, node } = request;
  if (attributes.operation !== 'CREATE' || attributes.subresource !== 'token') return;
  const { boundObjectRef: bound } = ((attributes.object ?? {}) as TokenRequest).spec ?? {};
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw no(request, 'node requested token not bound to a pod');
  if (!bound.uid) throw no(request, 'node requested token with a pod binding without a uid');
  const pod = await podNamed(request, bound.name);
  if (bound.uid !== pod.metadata?.uid)
    throw no(
      request,
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec?.nodeName !== node)
    throw no(request, 'node requested token bound to a pod scheduled on a different node');
}

function checkLease(request: Request): void {
  const { attributes, node } = request;
  if (attributes.namespace !== LEASES) throw no(request, `can only access leases in the "${LEASES}" system namespace`);
  if (namedIn(attributes) !== node)
    throw no(request, 'can only access node lease with the same name as the requesting node');
}

function checkCsiNode(request: Request): void {
  if (namedIn(request.attributes) !== request.node)
    throw no(request, 'can only access CSINode with the same name as the requesting node');
}
