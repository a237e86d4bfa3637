import type { ObjectReference } from '@orch/schema/types/audit/v1';
import type { UserInfo } from '@orch/schema/types/authentication/v1';
import type { AuditLevel, AuditStage } from '../policy/policy.js';

/** A user in events. */
export interface EventUser extends Readonly<Omit<UserInfo, 'groups' | 'extra'>> {
  /** All groups. */
  readonly groups?: readonly string[];
  /** Extra values, by key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Object of a request. */
export type EventObject = Readonly<ObjectReference>;

/** Outcome of a request; for a success without a Status only the code. */
export interface EventStatus {
  /** Always an empty object. */
  readonly metadata: Readonly<Record<string, never>>;
  /** `Success` or `Failure`. */
  readonly status?: string;
  /** Message for people. */
  readonly message?: string;
  /** Reason of the Status in the answer, as are the fields below. */
  readonly reason?: string;
  /** Details of the Status. */
  readonly details?: object;
  /** The HTTP status. */
  readonly code: number;
}

/**
 * Event of one stage of a request as it is written, without `requestObject` and `responseObject` (audit.k8s.io/v1,
 * Event).
 */
export interface AuditEvent {
  /** Type of the object, with `apiVersion`. */
  readonly kind: 'Event';
  /** `apiVersion` in the names of the installation. */
  readonly apiVersion: string;
  /** Level of the record. */
  readonly level: AuditLevel;
  /** Id of the request, the same in all its stages. */
  readonly auditID: string;
  /** Stage of the request. */
  readonly stage: AuditStage;
  /** Path and query as received. */
  readonly requestURI: string;
  /** Verb as in permissions; for non-resource requests the method in lower case. */
  readonly verb: string;
  /** The authenticated user; empty if authentication failed. */
  readonly user: EventUser;
  /** The impersonated user, if there is one. */
  readonly impersonatedUser?: EventUser;
  /** Addresses of the client and of proxies; all but the last can be forged. */
  readonly sourceIPs?: readonly string[];
  /** The client's `User-Agent`. */
  readonly userAgent?: string;
  /** Absent for non-resource requests. */
  readonly objectRef?: EventObject;
  /** Absent until it is known. */
  readonly responseStatus?: EventStatus;
  /** RFC 3339 with microseconds, as all times here. */
  readonly requestReceivedTimestamp: string;
  /** When this stage was reached. */
  readonly stageTimestamp: string;
  /** Annotations of the server and its plugins, by key. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Bodies of a request as JSON, on one line each. */
export interface EventBodies {
  /** Body of the request. */
  readonly request?: string;
  /** Body of the answer. */
  readonly response?: string;
}

const NONE: EventBodies = {};
/** Estimated bytes of an event beside its bodies. */
const PLAIN_BYTES = 1024;
const TRUNCATED = 'truncated';

/** An event for the backends, which share its JSON: that is encoded once, on first use. */
export class EventRecord {
  #json: string | undefined;

  constructor(
    /** The event without bodies. */
    readonly event: AuditEvent,
    /** Bodies, if the policy records them. */
    readonly bodies: EventBodies = NONE,
  ) {}

  /** Estimated memory, bytes. */
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

  /** Same without bodies, with an annotation about that. */
  truncated(): EventRecord {
    const group = this.event.apiVersion.slice(0, this.event.apiVersion.indexOf('/'));
    const annotations = { ...this.event.annotations, [`${group}/${TRUNCATED}`]: 'true' };
    return new EventRecord({ ...this.event, annotations });
  }
}
