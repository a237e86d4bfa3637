import {
  type AuditConfig,
  type AuditStage,
  answerText,
  EventRecord,
  type EventStatus,
  type EventUser,
  objectRefOf,
  objectText,
  patchText,
  redactedTarget,
  type SentNames,
  timeText,
} from '@orch/audit';
import { type UserInfo, wireUser } from '@orch/authentication';
import type { ApiObject, Status } from '@orch/machinery';
import type { Scheme } from '@orch/schema';
import type { AuditRecord } from '../http/audit-record.js';
import type { RequestContext } from '../http/context.js';
import { sourceIPs } from './source-ips.js';

/** Settings that all audit events share. */
export interface EventSettings {
  readonly scheme: Scheme;
  /** `apiVersion` of events. */
  readonly apiVersion: string;
  /** Size of a body above which it is omitted, bytes. */
  readonly maxBodyBytes: number;
}

/** Maximum length of a recorded `User-Agent`, characters, and the suffix of one that is cut (as in the reference). */
const AGENT_MAX = 1024;
const CUT = '...TRUNCATED';

/** Status of a request whose client has closed the connection before a response (as in the reference). */
const CLOSED_EARLY: EventStatus = { metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 };

/** Collects the audit events of one request while it passes through the chain. */
export class RequestAudit implements AuditRecord {
  readonly #receivedMs: number;
  readonly #received: string;
  readonly #sourceIPs: readonly string[];
  readonly #userAgent: string;
  #names: SentNames = {};
  #request: string | undefined;
  #response: string | undefined;
  readonly #bodyNotes = new Map<string, string>();
  #isCut = false;
  #status: EventStatus | undefined;
  #panic: EventStatus | undefined;

  /** @param user user of the credential; undefined if the request could not be authenticated */
  constructor(
    private readonly ctx: RequestContext,
    private readonly user: UserInfo | undefined,
    readonly config: AuditConfig,
    private readonly settings: EventSettings,
  ) {
    const began = ctx.trail?.began ?? performance.now();
    this.#receivedMs = Date.now() - (performance.now() - began);
    this.#received = timeText(this.#receivedMs);
    // Read before the connection is closed.
    this.#sourceIPs = sourceIPs(ctx.req);
    this.#userAgent = agentOf(ctx.req.headers['user-agent']);
  }

  /** Whether bodies of responses are recorded. */
  get wantsAnswer(): boolean {
    return this.config.level === 'RequestResponse';
  }

  /** Whether the content of requests is recorded. */
  get wantsRequest(): boolean {
    const { level } = this.config;
    return level === 'Request' || level === 'RequestResponse';
  }

  /** Adds an annotation that reveals content of the request. */
  noteBody(key: string, text: string): void {
    if (text.length > this.settings.maxBodyBytes) this.#isCut = true;
    else this.#bodyNotes.set(key, text);
  }

  /** Records the body of the request, read as an object; only the first call counts. */
  decoded(object: ApiObject, bytes: number): void {
    this.#names = object.metadata ?? {};
    this.#note(bytes, () => objectText(object, this.config.omitManagedFields));
  }

  /** Records an unexpected error: a failure of the server itself, not a refusal. */
  panicked(error: unknown): void {
    const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`;
    this.#panic = { metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 };
  }

  /** Name of the last stage of the request. */
  get lastStage(): AuditStage {
    return this.#panic ? 'Panic' : 'ResponseComplete';
  }

  /** Records the body of the request, a patch. */
  patched(bytes: Buffer): void {
    this.#note(bytes.length, () => patchText(bytes));
  }

  #note(bytes: number, text: () => string | undefined): void {
    if (this.#request !== undefined || !this.wantsRequest) return;
    if (bytes > this.settings.maxBodyBytes) this.#isCut = true;
    else this.#request = text();
  }

  /** Records the body of the response, unless it is a Status. */
  answered(contentType: string, body: Buffer): void {
    if (!this.wantsAnswer) return;
    const { scheme, maxBodyBytes } = this.settings;
    if (body.length > maxBodyBytes) this.#isCut = true;
    else this.#response = answerText(contentType, body, scheme, this.config.omitManagedFields);
  }

  /** Records that the response has a body that is longer than the limit. */
  answerLeftOut(): void {
    this.#isCut = true;
  }

  /** Maximum bytes of a recorded response. */
  get maxBodyBytes(): number {
    return this.settings.maxBodyBytes;
  }

  /** Records the Status that is the response. */
  answeredStatus(status: Status): void {
    const { status: outcome, message, reason, details, code } = status;
    this.#status = {
      metadata: {},
      status: outcome,
      ...(message && { message }),
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    };
    if (this.wantsAnswer) this.#response = JSON.stringify(status);
  }

  /** Returns the event of a stage, with the data known so far; undefined if the policy omits the stage. */
  at(stage: AuditStage): EventRecord | undefined {
    if (this.config.omitStages.has(stage)) return undefined;
    const { ctx, settings, user } = this;
    const { info } = ctx;
    const isReceived = stage === 'RequestReceived';
    const annotations = this.#annotations();
    const actsAs = user && ctx.user !== user && !isReceived ? eventUser(ctx.user) : undefined;
    const responseStatus = isReceived ? undefined : this.#outcome();
    return new EventRecord(
      {
        kind: 'Event',
        apiVersion: settings.apiVersion,
        level: this.config.level,
        auditID: ctx.requestId,
        stage,
        requestURI: redactedTarget(ctx.req.url ?? ''),
        verb: info.verb,
        user: user ? eventUser(user) : {},
        ...(actsAs && { impersonatedUser: actsAs }),
        ...(this.#sourceIPs.length > 0 && { sourceIPs: this.#sourceIPs }),
        ...(this.#userAgent !== '' && { userAgent: this.#userAgent }),
        ...(info.isResourceRequest && { objectRef: objectRefOf(info, this.#names) }),
        ...(responseStatus && { responseStatus }),
        requestReceivedTimestamp: this.#received,
        stageTimestamp: isReceived ? this.#received : this.#now(),
        ...(annotations && { annotations }),
      },
      isReceived ? {} : this.#bodies(),
    );
  }

  /** Returns the recorded status, else one with the response code, which may not have reached the client. */
  #outcome(): EventStatus {
    const { res } = this.ctx;
    const recorded = this.#panic ?? this.#status;
    if (recorded) return recorded;
    const isBegun = res.headersSent || res.statusCode !== 200;
    return isBegun ? { metadata: {}, code: res.statusCode } : CLOSED_EARLY;
  }

  #bodies() {
    return {
      ...(this.#request !== undefined && { request: this.#request }),
      ...(this.#response !== undefined && { response: this.#response }),
    };
  }

  #annotations(): Record<string, string> | undefined {
    const { annotations } = this.ctx;
    if (annotations.size === 0 && this.#bodyNotes.size === 0 && !this.#isCut) return undefined;
    const { scheme } = this.settings;
    return {
      ...Object.fromEntries(annotations),
      ...Object.fromEntries(this.#bodyNotes),
      ...(this.#isCut && { [`${scheme.names.group('audit.orch.io')}/truncated`]: 'true' }),
    };
  }

  /** Current time from the monotonic clock, so that stages are never out of order. */
  #now(): string {
    const began = this.ctx.trail?.began ?? performance.now();
    return timeText(this.#receivedMs + (performance.now() - began));
  }
}

function agentOf(agent = ''): string {
  return agent.length > AGENT_MAX ? `${agent.slice(0, AGENT_MAX)}${CUT}` : agent;
}

const eventUser = (user: UserInfo): EventUser => wireUser(user);
