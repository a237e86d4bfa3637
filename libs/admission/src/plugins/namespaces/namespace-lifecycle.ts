import { type ApiObject, forbidden, notFound, type StatusCause, StatusError } from '@orch/machinery';
import type { Attributes, Target } from '../../attributes.js';
import type { PluginMaker } from '../../plugin.js';
import { nameOf } from '../../refusal.js';

const TERMINATING = 'NamespaceTerminating';
const NAMESPACES = { group: '', resource: 'namespaces' };
/** Namespaces that may not be deleted. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Refuses to delete the namespaces that no installation can do without, and to create objects in a namespace that does
 * not exist or is being deleted, before other plugins are called. The guarantee that nothing is created there is the
 * store's: it checks in the same commit.
 */
export const namespaceLifecycle: PluginMaker = ({ names, objects }) => {
  const namespaces = objects.follow(NAMESPACES);
  const reviews = names.group('authorization.orch.io');
  const isNamespace = ({ group, resource }: Target) => group === '' && resource === NAMESPACES.resource;
  // A user who may not see a namespace must not learn from this whether it exists.
  const isReview = ({ group, resource }: Target) => group === reviews && resource === 'localsubjectaccessreviews';
  return {
    name: 'NamespaceLifecycle',
    handles(target) {
      if (isNamespace(target)) return target.operation === 'DELETE' && IMMORTAL.has(target.name);
      return target.operation === 'CREATE' && target.namespace !== '' && !isReview(target);
    },
    admit(attributes) {
      const { operation, namespace } = attributes;
      if (operation === 'DELETE') throw forbidden(NAMESPACES, attributes.name, 'this namespace may not be deleted');
      // The cache may be outdated.
      if (!isOpen(namespaces.get('', namespace)))
        return objects.read(NAMESPACES, '', namespace).then((found) => requireOpen(attributes, found));
    },
  };
};

const isOpen = (namespace: ApiObject | undefined): boolean =>
  namespace !== undefined && namespace.metadata?.deletionTimestamp === undefined;

function requireOpen(attributes: Attributes, found: ApiObject | undefined): void {
  const { namespace } = attributes;
  if (!found) throw notFound(NAMESPACES, namespace);
  if (!isOpen(found)) throw terminatingNamespace(attributes, namespace, nameOf(attributes));
}

/** Returns the 403 for creating an object in a namespace that is being deleted. */
export function terminatingNamespace(
  { group, resource }: Pick<Target, 'group' | 'resource'>,
  namespace: string,
  name: string,
): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { message, details } = forbidden({ group, resource }, name, why).status;
  const cause: StatusCause = {
    reason: TERMINATING,
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError('Forbidden', message ?? '', { ...details, causes: [cause] });
}

/** Returns whether an error is one that {@link terminatingNamespace} makes. */
export const isTerminating = ({ status }: StatusError): boolean =>
  status.details?.causes?.some(({ reason }) => reason === TERMINATING) ?? false;
