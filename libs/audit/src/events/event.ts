import type { Level, Stage } from '../policy/policy.js';

/** A user as events tell of one. */
export interface EventUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request is about. */
export interface EventObject {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** How a request ended; of a success that is no Status only the code. */
export interface EventStatus {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code: number;
}

/** One stage of a request as it is written, `requestObject` and `responseObject` left out (audit.k8s.io/v1, Event). */
export interface AuditEvent {
  readonly kind: 'Event';
  /** In the names of the installation. */
  readonly apiVersion: string;
  readonly level: Level;
  readonly auditID: string;
  readonly stage: Stage;
  readonly requestURI: string;
  readonly verb: string;
  /** Who really asks; empty where that could not be settled. */
  readonly user: EventUser;
  readonly impersonatedUser?: EventUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  /** Absent for what is no resource. */
  readonly objectRef?: EventObject;
  readonly responseStatus?: EventStatus;
  /** RFC 3339 with microseconds, as all times here. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Bodies of a request as JSON, on one line each. */
export interface EventBodies {
  readonly request?: string;
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
    readonly event: AuditEvent,
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
