import { type ActionAudit, AuditNotes, type RecordedAction } from '@orch/audit';
import { type UserInfo, wireUser } from '@orch/authentication';
import { type Authorizer, forbiddenRequest, type RequestAttributes } from '@orch/authorization';
import type { Names, StatusError } from '@orch/machinery';
import { managerOf } from '@orch/merge';
import { toStatusError } from '@orch/resources';
import { type Clock, systemClock } from '@orch/runtime';
import type { Caller } from '../pipeline/caller.js';
import type { ControllerSeats } from './controller-seats.js';
import { patiently } from './patience.js';
import { attributesOf, type WriteTarget } from './request-attributes.js';

/** Dependencies of requests that are made within the server. */
export interface RequestHost {
  /** Names of the installation. */
  readonly names: Names;
  /** Decides what users may do. */
  readonly authorizer: Authorizer;
  /** Seats that requests take; absent where they are not limited. */
  readonly seats?: ControllerSeats;
  /** Absent where no audit log is kept. */
  readonly audit: ActionAudit | undefined;
  /**
   * The term in which this process does the work that the requests are for; undefined while it does not. Nothing begun
   * in one is written in another.
   */
  readonly term: () => number | undefined;
  /** Counts and times requests. Default: nobody. */
  readonly observer?: LocalObserver | undefined;
  /** Clock of waits for a seat. */
  readonly clock: Clock;
  /** Milliseconds after which a write of one object is given up. Default: a minute. */
  readonly requestMs?: number;
  /** How often a seat that is refused is asked for again, at most. Default: as often as HTTP clients ask. */
  readonly maxRetries?: number;
}

/** Observes requests within the server. */
interface LocalObserver {
  /** A request has been answered with an HTTP status, this many milliseconds after it was made. */
  ended(verb: string, target: WriteTarget, code: number, ms: number): void;
}

/** The user that a component of this process makes requests as. */
export interface LocalIdentity {
  /** Its user. */
  readonly user: UserInfo;
  /** Its user agent, of which the field manager is made. */
  readonly agent: string;
}

/** Seat of a request that may begin. */
interface Seat {
  /** Deadline of the request, monotonic milliseconds. */
  readonly deadline: number;
  /** Gives the seat back. */
  leave(): void;
}

const REQUEST_MS = 60_000;

/**
 * Requests of a component that runs within the server. Each goes through flow control, authorization and the audit log
 * as if it had come over HTTP.
 */
export class LocalRequests {
  readonly #wire: ReturnType<typeof wireUser>;

  constructor(
    private readonly host: RequestHost,
    private readonly identity: LocalIdentity,
  ) {
    this.#wire = wireUser(identity.user);
  }

  /**
   * Makes a request.
   * @param success HTTP status of its success, for the audit log
   * @param work does what is asked for, once it is allowed
   * @throws StatusError 403, 429; what `work` throws
   */
  async make<T>(
    verb: string,
    target: WriteTarget,
    success: number,
    work: (caller: Caller, recorded: RecordedAction | undefined) => Promise<T>,
  ): Promise<T> {
    const request = attributesOf(verb, target);
    const began = systemClock.now();
    const term = this.host.term();
    const isOver = () => term === undefined || this.host.term() !== term;
    const { audit, observer } = this.host;
    const { agent } = this.identity;
    const recorded = await audit?.begin({ user: this.#wire, agent, request });
    const end = (outcome: number | StatusError) => {
      recorded?.end(outcome);
      const code = typeof outcome === 'number' ? outcome : outcome.code;
      observer?.ended(verb, target, code, systemClock.now() - began);
    };
    let seat: Seat | undefined;
    try {
      seat = await this.#seated(request, isOver);
      await this.#authorize(request, recorded);
      const { deadline } = seat;
      const result = await work({ ...this.#caller(request, recorded), isOver, deadline }, recorded);
      end(success);
      return result;
    } catch (error) {
      end(toStatusError(error));
      throw error;
    } finally {
      seat?.leave();
    }
  }

  /** Takes a seat; each time that it is asked for counts as a request of its own. @throws StatusError 429 */
  async #seated(request: RequestAttributes, isOver: () => boolean): Promise<Seat> {
    const { seats, clock, maxRetries, requestMs = REQUEST_MS } = this.host;
    let deadline = systemClock.now() + requestMs;
    if (!seats) return { deadline, leave: () => undefined };
    const take = () => {
      deadline = systemClock.now() + requestMs;
      return seats.take(this.identity.user, request);
    };
    const patience = { isOver, clock, ...(maxRetries !== undefined && { maxRetries }) };
    const leave = await patiently(take, patience);
    return { deadline, leave };
  }

  async #authorize(request: RequestAttributes, recorded: RecordedAction | undefined): Promise<void> {
    const { authorizer, names } = this.host;
    const { user } = this.identity;
    const { decision, reason } = await authorizer.authorize(user, request);
    const isAllowed = decision === 'allow';
    const group = names.group('authorization.orch.io');
    recorded?.annotations.set(`${group}/decision`, isAllowed ? 'allow' : 'forbid');
    recorded?.annotations.set(`${group}/reason`, reason);
    if (!isAllowed) throw forbiddenRequest(user, request, reason);
  }

  #caller(request: RequestAttributes, recorded: RecordedAction | undefined): Omit<Caller, 'deadline' | 'isOver'> {
    const { user, agent } = this.identity;
    const { authorizer } = this.host;
    return {
      user,
      access: { authorizer, request },
      agent: managerOf(agent),
      warnings: [],
      annotations: recorded?.annotations ?? new AuditNotes(),
      ...(recorded?.wantsRequest && { noteBody: (key: string, text: string) => recorded.noteBody(key, text) }),
    };
  }
}
