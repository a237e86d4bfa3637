import { withConditions } from '@orch/kinds';
import { type ApiObject, type JsonObject, type Names, StatusError } from '@orch/machinery';
import { ignoreMissing, type ObjectRemover, type OwnRun, serverIn, type UpdateTarget, updateOwn } from '@orch/writing';
import type { Availability } from './availability.js';
import type { LocalRegistration, Syncing } from './local-registrations.js';
import { managedLabel, type Registration } from './registration.js';

interface RegistrationWriterOptions extends Omit<UpdateTarget, 'run'> {
  readonly remover: Pick<ObjectRemover, 'remove'>;
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Writes APIServices and their status as the server itself, through the pipeline of all writes. */
export class RegistrationWriter {
  constructor(private readonly options: RegistrationWriterOptions) {}

  /**
   * Writes the condition that says whether the group-version is available, unless the registration names another
   * service by now.
   * @throws StatusError, StoreUnavailableError
   */
  report(registration: Registration, availability: Availability, run: OwnRun): Promise<void> {
    return updateOwn({ ...this.options, run }, registration, 'status', (current) => {
      const reported = { type: 'Available', ...availability };
      const { service } = (current.spec ?? {}) as { service?: unknown };
      if (JSON.stringify(service) !== JSON.stringify(registration.spec.service)) return current;
      const conditions = withConditions(current as JsonObject, [reported], this.options.now());
      current.status = { ...(current.status as object | undefined), conditions };
      return current;
    });
  }

  /**
   * Carries out a write; what another client has changed meanwhile is left as it is.
   * @throws StatusError, StoreUnavailableError
   */
  async sync(syncing: Syncing, run: OwnRun): Promise<void> {
    if (syncing.act === 'create') return this.#create(syncing.wanted, run);
    if (syncing.act === 'delete') return this.#remove(syncing.known, run);
    const { wanted, known } = syncing;
    if (!known) return;
    await updateOwn({ ...this.options, run }, known, '', (current) => {
      current.spec = specOf(wanted);
      return current;
    });
  }

  async #create(wanted: LocalRegistration, run: OwnRun): Promise<void> {
    const { pipeline, endpoint, names } = this.options;
    const key = { namespace: '', name: wanted.name };
    const create = (): ApiObject => ({
      metadata: { name: wanted.name, labels: { [managedLabel(names)]: wanted.managed } },
      spec: specOf(wanted),
    });
    const request = { operation: 'CREATE', endpoint, key, subresource: '', caller: serverIn(run) } as const;
    await pipeline.write({ ...request, options: { dryRun: false } }, { create }).catch(ignoreExisting);
  }

  async #remove({ name, uid }: Registration, run: OwnRun): Promise<void> {
    const { remover, endpoint } = this.options;
    await remover
      .remove(endpoint, { namespace: '', name }, { dryRun: false, uid }, serverIn(run))
      .then(() => undefined, ignoreMissing(endpoint, name))
      .catch(ignoreExisting);
  }
}

const specOf = ({ group, version, groupPriority, versionPriority }: LocalRegistration) => ({
  ...(group !== '' && { group }),
  version,
  groupPriorityMinimum: groupPriority,
  versionPriority,
});

/** Also of a conflict: it is another one by now. @throws any other error */
function ignoreExisting(error: unknown): void {
  if (error instanceof StatusError && error.code === 409) return;
  throw error;
}
