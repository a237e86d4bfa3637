import type { Admission } from '@orch/admission';
import { StatusError } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import type { Endpoint } from '@orch/resources';
import type { DeleteOp, Key, ObjectStore } from '@orch/storage';
import { untilNotOvertaken } from './attempts.js';
import { type Attempt, Committer } from './committer.js';
import { GuardedCreation, takeBack } from './guarded-creation.js';
import { RequestedWrite } from './requested-write.js';
import { SharedUpdates } from './shared-updates.js';
import { SingleWrite, type SingleWriteTools } from './single-write.js';
import type { PlanTools } from './write-plan.js';
import type { Modification, WriteRequest, Written } from './write-request.js';

interface PipelineOptions extends PlanTools {
  readonly store: ObjectStore;
  readonly admission: Admission;
  readonly reader: ObjectReader;
  /** Endpoint of namespaces, for dry runs to check that one exists. */
  readonly namespaces: Endpoint;
  /** Milliseconds that an update waits for others of the same object. */
  readonly patience: number;
}

/**
 * The one way to the store for objects: base → change → system fields → defaults → ownership → mutating admission →
 * repair → escalation → validate → rights to parameters → validating admission → quota → allocate → to storage → same?
 * → store. Every verb, every subresource and every writer within the server is a {@link Modification}; the stages are a
 * table ({@link STAGES}).
 */
export class WritePipeline {
  readonly #tools: SingleWriteTools;
  readonly #shared: SharedUpdates;

  constructor(private readonly options: PipelineOptions) {
    this.#tools = { ...options, committer: new Committer(options) };
    const shared = { ...this.#tools, patience: options.patience };
    this.#shared = new SharedUpdates(shared, (write) => this.#alone(write));
  }

  /**
   * Carries out a modification of one object. Retries when it is overtaken, unless the changed object names a version
   * itself. Updates of one object that name no version take turns, except where plugins may call webhooks.
   * @throws StatusError 400, 404, 409, 422; 403 from admission; 504 when its turn does not come in time
   * @throws StoreUnavailableError
   */
  async write(request: WriteRequest, make: Modification): Promise<Written> {
    const { beginCreation } = request.endpoint;
    if (!make.create || !beginCreation) return this.#write(request, make);
    const creating = new GuardedCreation(beginCreation, make.create);
    const create = () => creating.create();
    const written = await this.#write(request, { ...make, create }).finally(() => creating.end());
    if (!written.created || !creating.isTakenBack) return written;
    const { store } = this.options;
    const current = (key: Key) => store.get(request.endpoint.type, key);
    return takeBack({ current, remove: (op) => this.#removeAgain(request, op) }, request, written);
  }

  /**
   * Removes a created object again and releases its quota charges. It is of a custom kind, whose objects are counted
   * whatever they hold.
   */
  #removeAgain({ endpoint, subresource }: WriteRequest, op: DeleteOp): Promise<Attempt> {
    const { namespace } = op;
    const gone = { endpoint, namespace, operation: 'DELETE', subresource, before: {}, after: undefined } as const;
    const charging = this.options.quotas?.of(gone);
    return this.#tools.committer.attempt([{ endpoint, ops: [{ ...op, charging }], conclude: () => undefined }]);
  }

  async #write(request: WriteRequest, make: Modification): Promise<Written> {
    const write = new RequestedWrite(request, make, this.options.admission);
    if (!sharesTurns(write)) return this.#alone(write);
    try {
      return await this.#shared.update(write);
    } catch (error) {
      if (make.create && error instanceof StatusError && error.code === 404) return this.#alone(write);
      throw error;
    }
  }

  #alone(write: RequestedWrite): Promise<Written> {
    return untilNotOvertaken(new SingleWrite(write, this.#tools));
  }
}

function sharesTurns(write: RequestedWrite): boolean {
  const { operation, options, hints } = write.request;
  return operation === 'UPDATE' && !options.dryRun && !hints?.namesVersion && !write.callsOut;
}
