import type { ObjectReference } from '@orch/schema/types/audit/v1';
import type { UserInfo } from '@orch/schema/types/authentication/v1';
import type { Level, Stage } from '../policy/policy.js';

/** A user as events tell of one. */
export interface EventUser extends Readonly<Omit<UserInfo, 'groups' | 'extra'>> {
  /** All of them. */
  readonly groups?: readonly string[];
  /** Further values, by key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request is about. */
export type EventObject = Readonly<ObjectReference>;

/** How a request ended; of a success that is no Status only the code. */
export interface EventStatus {
  /** Of no meaning; always there. */
  readonly metadata: Readonly<Record<string, never>>;
  /** `Success` or `Failure`. */
  readonly status?: string;
  /** For people. */
  readonly message?: string;
  /** As in the Status that was answered, and so is what follows. */
  readonly reason?: string;
  /** What it is about. */
  readonly details?: object;
  /** The HTTP status. */
  readonly code: number;
}

/** One stage of a request as it is written, `requestObject` and `responseObject` left out (audit.k8s.io/v1, Event). */
export interface AuditEvent {
  /** With `apiVersion` what tells it from other objects. */
  readonly kind: 'Event';
  /** In the names of the installation. */
  readonly apiVersion: string;
  /** How much is recorded of the request. */
  readonly level: Level;
  /** Id of the request, the same in all its stages. */
  readonly auditID: string;
  /** Where the request is. */
  readonly stage: Stage;
  /** Path and query as they came. */
  readonly requestURI: string;
  /** As permissions name it; for what is no resource the method in lower case. */
  readonly verb: string;
  /** Who really asks; empty where that could not be settled. */
  readonly user: EventUser;
  /** On whose behalf, where that is somebody else. */
  readonly impersonatedUser?: EventUser;
  /** Where it comes from and through; all but the last can be forged. */
  readonly sourceIPs?: readonly string[];
  /** What the client calls itself. */
  readonly userAgent?: string;
  /** Absent for what is no resource. */
  readonly objectRef?: EventObject;
  /** Absent until it is known. */
  readonly responseStatus?: EventStatus;
  /** RFC 3339 with microseconds, as all times here. */
  readonly requestReceivedTimestamp: string;
  /** When this stage was reached. */
  readonly stageTimestamp: string;
  /** What the server and its plugins note, by key. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Bodies of a request as JSON, on one line each. */
export interface EventBodies {
  /** Of the request. */
  readonly request?: string;
  /** Of the answer. */
  readonly response?: string;
}

const NONE: EventBodies = {};
/** Bytes that an event takes beside its bodies, about. */
const PLAIN_BYTES = 1024;
const TRUNCATED = 'truncated';

/** An event on its way to backends, which share its JSON: that is made once, when the first needs it. */
export class EventRecord {
  #json: string | undefined;

  constructor(
    /** All but bodies. */
    readonly event: AuditEvent,
    /** None where the policy wants none. */
    readonly bodies: EventBodies = NONE,
  ) {}

  /** About how much memory it takes, bytes. */
  get weight(): number {
    const { request = '', response = '' } = this.bodies;
    return PLAIN_BYTES + 2 * (request.length + response.length);
  }

  /** The whole event, on one line. */
  get json(): string {
    this.#json ??= this.#encode();
    return this.#json;
  }

  #encode(): string {
    const { request, response } = this.bodies;
    const plain = JSON.stringify(this.event);
    if (request === undefined && response === undefined) return plain;
    const bodies = [
      ...(request === undefined ? [] : [`"requestObject":${request}`]),
      ...(response === undefined ? [] : [`"responseObject":${response}`]),
    ];
    return `${plain.slice(0, -1)},${bodies.join(',')}}`;
  }

  /** The same without bodies, with a note that says so. */
  truncated(): EventRecord {
    const group = this.event.apiVersion.slice(0, this.event.apiVersion.indexOf('/'));
    const annotations = { ...this.event.annotations, [`${group}/${TRUNCATED}`]: 'true' };
    return new EventRecord({ ...this.event, annotations });
  }
}
