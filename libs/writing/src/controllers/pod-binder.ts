import type { ApiObject } from '@orch/machinery';
import type { Endpoint, ObjectModel } from '@orch/resources';
import { type BindingTools, bindPod } from '../actions/binding.js';
import { type LocalIdentity, LocalRequests, type RequestHost } from './local-requests.js';

/** Dependencies of a {@link PodBinder}. */
export interface BinderHost extends RequestHost, BindingTools {
  /** Schema of Bindings. */
  readonly bindings: ObjectModel;
}

const CREATED = 201;
const SUBRESOURCE = 'binding';
/** The answer to a Binding, for the audit log. */
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: CREATED };

/** Binds pods for a component that runs within the server, as if its Bindings had come over HTTP. */
export class PodBinder {
  readonly #requests: LocalRequests;

  constructor(
    private readonly host: BinderHost,
    identity: LocalIdentity,
  ) {
    this.#requests = new LocalRequests(host, identity);
  }

  /**
   * Assigns a pod to a node.
   * @param pods endpoint of pods
   * @throws StatusError 403, 404, 409, 422; StoreUnavailableError
   */
  bind(pods: Endpoint, binding: ApiObject): Promise<void> {
    const { namespace = '', name = '' } = binding.metadata ?? {};
    const { group, version, resource } = pods.definition;
    const action = { operation: 'CREATE', group, version, resource, subresource: SUBRESOURCE } as const;
    const target = { endpoint: pods, key: { namespace, name }, subresource: SUBRESOURCE };
    return this.#requests.make('create', target, CREATED, async (caller, recorded) => {
      recorded?.sent(binding);
      const sent = { object: binding, options: { dryRun: false }, model: this.host.bindings };
      await bindPod(this.host, pods, { ...action, namespace, name }, sent, caller);
      recorded?.answered(SUCCESS);
    });
  }
}
