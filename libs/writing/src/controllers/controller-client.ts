import type { OperationOptions } from '@orch/admission';
import { type ActionAudit, AuditNotes, type RecordedAction } from '@orch/audit';
import { type UserInfo, wireUser } from '@orch/authentication';
import { type Authorizer, forbiddenRequest, type RequestAttributes } from '@orch/authorization';
import { type ApiObject, copy, type Names } from '@orch/machinery';
import { managerOf } from '@orch/merge';
import { type Endpoint, servedObject, toStatusError } from '@orch/resources';
import { type Clock, systemClock } from '@orch/runtime';
import type { Key, ReadingStore } from '@orch/storage';
import type { DeletionOptions } from '../own/deletion.js';
import type { Collection } from '../own/each-stored.js';
import { emptyCollection } from '../own/empty-collection.js';
import type { ObjectRemover, Removal } from '../own/object-remover.js';
import type { Caller } from '../pipeline/caller.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';
import type { UpdateFunction, WriteRequest, Written } from '../pipeline/write-request.js';
import { type ControllerSeats, takePatiently } from './controller-seats.js';
import { attributesOf, type WriteTarget } from './request-attributes.js';

/** Dependencies of the clients of controllers. */
export interface ControllerHost {
  /** Names of the installation. */
  readonly names: Names;
  /** The way of every write. */
  readonly pipeline: WritePipeline;
  /** Deletes objects. */
  readonly remover: ObjectRemover;
  /** Reads the collections that are deleted. */
  readonly store: Pick<ReadingStore, 'snapshot'>;
  /** Decides what controllers may do. */
  readonly authorizer: Authorizer;
  /** Seats that writes take; absent where they are not limited. */
  readonly seats?: ControllerSeats;
  /** Absent where no audit log is kept. */
  readonly audit: ActionAudit | undefined;
  /**
   * The term in which this process runs the controllers; undefined while it does not. Nothing begun in one is written
   * in another.
   */
  readonly term: () => number | undefined;
  /** Clock of waits for a seat. */
  readonly clock: Clock;
}

/** How an update is made, beside its change; see {@link WriteRequest}. */
export type UpdateSettings = Partial<Pick<WriteRequest, 'changeKind' | 'hints' | 'options'>>;

/** Milliseconds after which a write of one object is given up. */
const REQUEST_MS = 60_000;
const [OK, CREATED] = [200, 201];
const PLAIN: OperationOptions = { dryRun: false };
/** Namespace of the accounts of controllers, in both naming profiles. */
const ACCOUNTS = 'kube-system';

/**
 * A controller as authorizers, admission and the audit log see it: its service account, as in kube-controller-manager.
 */
function accountUser(account: string): UserInfo {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${ACCOUNTS}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${ACCOUNTS}:${account}`, groups, extra: {} };
}

/**
 * Writes of a controller that runs within the server. Each is made by the controller's own service account, and goes
 * through flow control, authorization, admission, quota and the audit log as if it had come over HTTP
 * (kube-controller-manager with `--use-service-account-credentials`).
 */
export class ControllerClient {
  readonly #user: UserInfo;
  readonly #wire: ReturnType<typeof wireUser>;
  readonly #agent: string;

  /** @param account name of the service account, as `namespace-controller` */
  constructor(
    private readonly host: ControllerHost,
    account: string,
  ) {
    this.#user = accountUser(account);
    this.#wire = wireUser(this.#user);
    const { product } = host.names;
    this.#agent = `${product === 'kubernetes' ? 'kube' : product}-controller-manager/${account}`;
  }

  /**
   * Makes a new object, in the endpoint's version.
   * @throws StatusError 403, 409 where there is one of its name; StoreUnavailableError
   */
  create(endpoint: Endpoint, object: ApiObject): Promise<Written> {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const target = { endpoint, key: { namespace, name } };
    return this.#act('create', target, CREATED, async (caller, recorded) => {
      recorded?.sent(object);
      const request = { ...target, operation: 'CREATE', subresource: '', caller, options: PLAIN } as const;
      const written = await this.host.pipeline.write(request, { create: () => copy(object) });
      return answered(written, endpoint, recorded);
    });
  }

  /** Changes an existing object. @throws StatusError 403, 404, 409; StoreUnavailableError */
  update(target: WriteTarget, change: UpdateFunction, settings: UpdateSettings = {}): Promise<Written> {
    const { endpoint, key, subresource = '' } = target;
    const verb = settings.changeKind === 'apply' ? 'patch' : 'update';
    return this.#act(verb, target, OK, async (caller, recorded) => {
      const own = { operation: 'UPDATE', endpoint, key, subresource, caller, options: PLAIN } as const;
      const noted: UpdateFunction = async (...given) => {
        const wanted = await change(...given);
        recorded?.sent(wanted);
        return wanted;
      };
      const written = await this.host.pipeline.write({ ...own, ...settings }, { change: noted });
      return answered(written, endpoint, recorded);
    });
  }

  /** Deletes an object. @throws StatusError 403, 404; 409 where a precondition does not hold; StoreUnavailableError */
  delete(endpoint: Endpoint, key: Key, options: DeletionOptions): Promise<Removal> {
    return this.#act('delete', { endpoint, key }, OK, (caller) =>
      this.host.remover.remove(endpoint, key, options, caller),
    );
  }

  /**
   * Deletes all objects of a collection.
   * @param stopped polled; once it returns true no further object is deleted
   * @param onKept called with each object that finalizers or a grace period keep
   * @throws StatusError 403, and errors of admission; StoreUnavailableError
   */
  deleteCollection(collection: Collection, stopped: () => boolean, onKept: (removal: Removal) => void): Promise<void> {
    const { endpoint, namespace = '' } = collection;
    return this.#act('deletecollection', { endpoint, key: { namespace, name: '' } }, OK, async (caller) => {
      const patient = { ...caller, deadline: Number.POSITIVE_INFINITY };
      await emptyCollection(this.host, collection, stopped, onKept, patient);
    });
  }

  async #act<T>(
    verb: string,
    target: WriteTarget,
    success: number,
    work: (caller: Caller, recorded: RecordedAction | undefined) => Promise<T>,
  ): Promise<T> {
    const request = attributesOf(verb, target);
    const term = this.host.term();
    const isOver = () => term === undefined || this.host.term() !== term;
    const { audit, seats, clock } = this.host;
    const recorded = await audit?.begin({ user: this.#wire, agent: this.#agent, request });
    let leave: (() => void) | undefined;
    try {
      leave = seats && (await takePatiently(() => seats.take(this.#user, request), isOver, clock));
      await this.#authorize(request, recorded);
      const result = await work(this.#caller(request, recorded, isOver), recorded);
      recorded?.end(success);
      return result;
    } catch (error) {
      recorded?.end(toStatusError(error));
      throw error;
    } finally {
      leave?.();
    }
  }

  async #authorize(request: RequestAttributes, recorded: RecordedAction | undefined): Promise<void> {
    const { authorizer, names } = this.host;
    const { decision, reason } = await authorizer.authorize(this.#user, request);
    const isAllowed = decision === 'allow';
    const group = names.group('authorization.orch.io');
    recorded?.annotations.set(`${group}/decision`, isAllowed ? 'allow' : 'forbid');
    recorded?.annotations.set(`${group}/reason`, reason);
    if (!isAllowed) throw forbiddenRequest(this.#user, request, reason);
  }

  #caller(request: RequestAttributes, recorded: RecordedAction | undefined, isOver: () => boolean): Caller {
    return {
      isOver,
      user: this.#user,
      access: { authorizer: this.host.authorizer, request },
      agent: managerOf(this.#agent),
      warnings: [],
      annotations: recorded?.annotations ?? new AuditNotes(),
      ...(recorded?.wantsRequest && { noteBody: (key: string, text: string) => recorded.noteBody(key, text) }),
      deadline: systemClock.now() + REQUEST_MS,
    };
  }
}

function answered(written: Written, endpoint: Endpoint, recorded: RecordedAction | undefined): Written {
  if (recorded?.wantsAnswer) recorded.answered(servedObject(endpoint, written.stored));
  return written;
}
