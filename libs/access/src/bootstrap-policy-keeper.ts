import {
  autoUpdateAnnotation,
  type BootstrapObject,
  type BootstrapPolicy,
  type BoundUsers,
  bootstrapPolicy,
  isProtected,
  type RbacPolicy,
  reconciledBinding,
  reconciledRole,
} from '@orch/authorization';
import type { ApiDeps } from '@orch/handlers';
import { type ApiObject, copy, StatusError } from '@orch/machinery';
import { fromStored, type PolicyEndpoints } from '@orch/resources';
import { type Clock, sleep, systemClock } from '@orch/runtime';
import { Backoff, inParallel, LEADERSHIP_MS, onePage } from '@orch/runtime/work';
import { FEATURES, type Features } from '@orch/schema';
import { type ServingStore, UnreadableBodyError } from '@orch/storage';
import { ignoreMissing, isNamespaceMissing, serverItself } from '@orch/writing';
import type { PolicyInformers } from './policy-informers.js';
import type { ApiBinding, ApiRole } from './policy-objects.js';

interface BootstrapPolicyOptions {
  readonly deps: Pick<ApiDeps, 'names' | 'pipeline' | 'remover' | 'reader'>;
  readonly store: Pick<ServingStore, 'lease'>;
  readonly endpoints: PolicyEndpoints;
  readonly policy: RbacPolicy;
  readonly informers: Pick<PolicyInformers, 'confirm'>;
  readonly features: Features;
  /** Users who have roles from the start. */
  readonly users: BoundUsers;
  /** Default: the machine's time. */
  readonly clock?: Clock;
}

/** Returns which features bootstrap rules may depend on are on; a gate that is not known here is off. */
export const bootstrapGates =
  (features: Features) =>
  (gate: string): boolean =>
    gate in FEATURES && features.enabled(gate as keyof typeof FEATURES);

/** Waits between two looks whether the server that has the lease is done, milliseconds. */
const LOOKS = { firstMs: 100, longestMs: 1_000 };
/** Objects that are written at a time. */
const WRITES = { items: 32, bytes: 32, sizeOf: () => 1 };

/** A write that brings one object to its desired state. */
type Step = () => Promise<void>;

/**
 * Maintains the default roles and bindings at the start of a server: missing objects and rules are added, and
 * additional ones are kept. One server does that at a time; the others wait for it.
 *
 * No controller of the installation: a server answers no request before its roles exist, and controllers run in a server
 * that answers, which may be of an older release and not know what this one needs. kube-apiserver does it when it
 * starts, too, and does not undo later changes. The lease only saves writes: two servers that write at once get on.
 */
export class BootstrapPolicyKeeper {
  readonly #wanted: BootstrapPolicy;
  readonly #annotation: string;

  constructor(private readonly options: BootstrapPolicyOptions) {
    const { deps, features, users } = options;
    this.#wanted = bootstrapPolicy(deps.names, bootstrapGates(features), users);
    this.#annotation = autoUpdateAnnotation(deps.names);
  }

  /** Resolves when all of them exist. @throws StoreUnavailableError, StatusError */
  async keep(): Promise<void> {
    if ((await this.#steps()).length === 0) return;
    const { store, clock = systemClock } = this.options;
    const lease = store.lease('rbac-bootstrap', LEADERSHIP_MS);
    const looks = new Backoff(LOOKS);
    while (!(await lease.take())) {
      await sleep(clock, looks.next());
      await this.options.informers.confirm();
      if ((await this.#steps()).length === 0) return;
    }
    try {
      await this.options.informers.confirm();
      await inParallel(onePage(await this.#steps()), WRITES, (step) => step());
      await this.options.informers.confirm();
    } finally {
      await lease.giveBack().catch(() => undefined);
    }
  }

  /** Returns the writes that are needed; usually none. */
  async #steps(): Promise<Step[]> {
    const roles = this.#wanted.roles.map((wanted) => this.#roleStep(wanted));
    const bindings = this.#wanted.bindings.map((wanted) => this.#bindingStep(wanted));
    return (await Promise.all([...roles, ...bindings].map(orNone))).filter((step) => step !== undefined);
  }

  async #roleStep(wanted: BootstrapPolicy['roles'][number]): Promise<Step | undefined> {
    const live = (await this.#live(wanted)) as ApiRole | undefined;
    if (!live) return () => this.#create(wanted);
    const change = (role: ApiRole) =>
      isProtected(role, this.#annotation) ? undefined : reconciledRole(role, wanted.object);
    return change(live) && (() => this.#update(wanted, (current) => change(current as ApiRole) as ApiRole | undefined));
  }

  async #bindingStep(wanted: BootstrapPolicy['bindings'][number]): Promise<Step | undefined> {
    const live = (await this.#live(wanted)) as ApiBinding | undefined;
    if (!live) return () => this.#create(wanted);
    if (isProtected(live, this.#annotation)) return undefined;
    const step = reconciledBinding(live, wanted.object);
    if (step.act === 'none') return undefined;
    if (step.act === 'recreate') return () => this.#recreate(wanted, live.metadata?.uid);
    return () =>
      this.#update(wanted, (current) => {
        const again = reconciledBinding(current as ApiBinding, wanted.object);
        return again.act === 'update' && !isProtected(current, this.#annotation) ? again.binding : undefined;
      });
  }

  async #live(wanted: BootstrapObject<unknown>): Promise<ApiObject | undefined> {
    const endpoint = this.options.endpoints[wanted.resource];
    const stored = await this.options.deps.reader.current(endpoint.type, keyOf(wanted));
    return stored && fromStored(stored, endpoint);
  }

  #request<O extends 'CREATE' | 'UPDATE'>(operation: O, wanted: BootstrapObject<unknown>) {
    const endpoint = this.options.endpoints[wanted.resource];
    const own = { subresource: '', caller: serverItself(), options: { dryRun: false } } as const;
    return { operation, endpoint, key: keyOf(wanted), ...own };
  }

  /** Creates an object; one whose namespace does not exist is left out. */
  async #create(wanted: BootstrapObject<unknown>): Promise<void> {
    const create = () => copy(wanted.object as ApiObject);
    const made = this.options.deps.pipeline.write(this.#request('CREATE', wanted), { create });
    await made
      .then(() => undefined, ignoreExisting)
      .catch((error: unknown) => {
        if (!isNamespaceMissing(error, wanted.namespace)) throw error;
      });
  }

  async #update(
    wanted: BootstrapObject<unknown>,
    change: (current: ApiObject) => ApiObject | undefined,
  ): Promise<void> {
    const written = this.options.deps.pipeline.write(this.#request('UPDATE', wanted), {
      change: (current) => change(current) ?? current,
    });
    await written.then(() => undefined, ignoreMissing(this.options.endpoints[wanted.resource], wanted.name));
  }

  async #recreate(wanted: BootstrapObject<unknown>, uid: string | undefined): Promise<void> {
    const { remover } = this.options.deps;
    const { endpoint, key, caller } = this.#request('UPDATE', wanted);
    const removed = remover.remove(endpoint, key, { dryRun: false, ...(uid !== undefined && { uid }) }, caller);
    await removed.then(() => undefined, ignoreMissing(endpoint, key.name));
    await this.#create(wanted);
  }
}

const keyOf = ({ namespace, name }: BootstrapObject<unknown>) => ({ namespace, name });

/**
 * Skips an object whose body cannot be decrypted: it cannot be mended either, its informer reports it, and it must not
 * keep a server from starting.
 */
async function orNone(step: Promise<Step | undefined>): Promise<Step | undefined> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof UnreadableBodyError) return undefined;
    throw error;
  }
}

/** Ignores that another server has created the object meanwhile. @throws any other error */
function ignoreExisting(error: unknown): void {
  if (error instanceof StatusError && error.code === 409) return;
  throw error;
}
