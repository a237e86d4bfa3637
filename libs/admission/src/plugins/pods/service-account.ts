import { namesInPod } from '@orch/authorization';
import { type ApiObject, notFound, StatusError } from '@orch/machinery';
import type { Pod, ServiceAccount } from '@orch/schema/types/core/v1';
import type { Attributes } from '../../attributes.js';
import type { PluginContext, PluginMaker } from '../../plugin.js';
import { nameOf, refusal } from '../../refusal.js';
import { isTerminating, terminatingNamespace } from '../namespaces/namespace-lifecycle.js';
import { ephemeralSecretProblem, secretProblem } from './secret-references.js';
import { mountToken } from './token-volume.js';

const ACCOUNTS = { group: '', resource: 'serviceaccounts' };
/** The service account of pods that name none. */
const DEFAULT = 'default';
/** Texts that mean true, as everywhere in the reference. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Makes new pods run as an existing service account: mounts its token and adds its image pull secrets. */
export const serviceAccount: PluginMaker = (context) => {
  const accounts = new Accounts(context);
  const mirror = context.names.key('orch.io/config.mirror');
  const enforced = context.names.key('orch.io/enforce-mountable-secrets');
  const mountPath = `/var/run/secrets/${context.names.key('orch.io/serviceaccount')}`;
  const isMirror = ({ metadata }: Pod) => metadata?.annotations?.[mirror] !== undefined;
  const enforces = ({ metadata }: ServiceAccount) => TRUE.has(metadata?.annotations?.[enforced] ?? '');
  const complete = (pod: Pod, account: ServiceAccount) => {
    const { spec = {} } = pod;
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, mountPath);
    const { imagePullSecrets: theirs = [] } = account;
    if ((spec.imagePullSecrets ?? []).length === 0 && theirs.length > 0)
      spec.imagePullSecrets = theirs.map(({ name = '' }) => ({ name }));
  };
  const judge = (attributes: Attributes, account: ServiceAccount) => {
    if (!enforces(account)) return;
    const find = attributes.subresource === '' ? secretProblem : ephemeralSecretProblem;
    const problem = find(attributes.object as Pod, account);
    if (problem !== undefined) throw refusal(attributes, problem);
  };
  return {
    name: 'ServiceAccount',
    needs: ['accounts'],
    readsOnly: true,
    handles: ({ operation, group, resource, subresource }) =>
      resource === 'pods' &&
      group === '' &&
      ((operation === 'CREATE' && subresource === '') ||
        (operation === 'UPDATE' && subresource === 'ephemeralcontainers')),
    admit(attributes) {
      const pod = attributes.object as Pod;
      if (attributes.operation !== 'CREATE') return;
      // A mirror pod of a node is not changed.
      if (isMirror(pod)) return requireNothing(attributes, pod);
      pod.spec ??= {};
      pod.spec.serviceAccountName ||= DEFAULT;
      return accounts.with(attributes, pod.spec.serviceAccountName, (account) => {
        complete(pod, account);
        judge(attributes, account);
      });
    },
    validate(attributes) {
      const pod = attributes.object as Pod;
      if (attributes.operation === 'CREATE' && isMirror(pod)) return requireNothing(attributes, pod);
      const name = pod.spec?.serviceAccountName ?? '';
      if (name === '') {
        const which = `${attributes.namespace}/${pod.metadata?.name ?? ''}`;
        throw refusal(attributes, `no service account specified for pod ${which}`);
      }
      return accounts.with(attributes, name, (account) => judge(attributes, account));
    },
  };
};

/**
 * Refuses mirror pods that reference service accounts, secrets or tokens, which would give their node access to these.
 */
function requireNothing(attributes: Attributes, pod: Pod): void {
  if (pod.spec?.serviceAccountName) throw refusal(attributes, 'a mirror pod may not reference service accounts');
  if (namesInPod(pod).secret.length > 0) throw refusal(attributes, 'a mirror pod may not reference secrets');
  const sources = (pod.spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    throw refusal(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** Finds the service accounts of pods. */
class Accounts {
  readonly #known;

  constructor(private readonly context: PluginContext) {
    this.#known = context.objects.follow(ACCOUNTS);
  }

  /**
   * Calls `use` with an account, synchronously if the account is cached.
   * @throws StatusError 403 for a missing account
   */
  with(attributes: Attributes, name: string, use: (account: ServiceAccount) => void): void | Promise<void> {
    const known = this.#known.get(attributes.namespace, name);
    if (known) return use(known as ServiceAccount);
    return this.#find(attributes, name).then((found) => use(found as ServiceAccount));
  }

  async #find(attributes: Attributes, name: string): Promise<ApiObject> {
    const { namespace } = attributes;
    try {
      const found = await this.context.objects.read(ACCOUNTS, namespace, name);
      if (found) return found;
      if (name === DEFAULT) return await this.#make(attributes);
      throw notFound({ group: '', resource: 'serviceaccount' }, name);
    } catch (error) {
      if (!(error instanceof StatusError) || isOfNamespace(error)) throw error;
      throw refusal(attributes, `error looking up service account ${namespace}/${name}: ${error.message}`);
    }
  }

  /** Creates the default account. Every namespace gets one, but a pod may be created before it. */
  async #make(attributes: Attributes): Promise<ApiObject> {
    const { namespace, options, deadline } = attributes;
    const account = { metadata: { namespace, name: DEFAULT } };
    if (options.dryRun) return account;
    try {
      return await this.context.ownWrites.create(ACCOUNTS, account, deadline);
    } catch (error) {
      if (error instanceof StatusError && isTerminating(error))
        throw terminatingNamespace(attributes, namespace, nameOf(attributes));
      throw error;
    }
  }
}

/** Returns whether an error is about the namespace, which is missing or being deleted, and not about the account. */
const isOfNamespace = (error: StatusError): boolean =>
  isTerminating(error) || (error.code === 404 && error.status.details?.kind === 'namespaces');
