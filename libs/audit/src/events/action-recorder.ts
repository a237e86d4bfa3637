import { randomUUID } from 'node:crypto';
import { type ApiObject, StatusError } from '@orch/machinery';
import type { Clock } from '@orch/runtime';
import { AuditNotes } from '../audit-notes.js';
import type { AuditBackend } from '../backends/backend.js';
import type { AuditConfig, AuditedRequest, PolicyEvaluator } from '../policy/evaluator.js';
import type { AuditLevel, AuditStage } from '../policy/policy.js';
import { objectText } from './body-text.js';
import { EventRecord, type EventStatus, type EventUser } from './event.js';
import { objectRefOf, type SentNames } from './object-ref.js';
import { timeText } from './time-text.js';

/** A request that a controller makes within the server. */
export interface Action {
  /** Service account of the controller. */
  readonly user: EventUser & { readonly username: string; readonly groups: readonly string[] };
  /** User agent of its client. */
  readonly agent: string;
  /** Attributes of the request. */
  readonly request: AuditedRequest & { readonly version: string };
}

/** Records actions of controllers within the server, by the audit policy. */
export interface ActionAudit {
  /**
   * Begins recording an action; undefined if the policy does not record it.
   * @throws StatusError 500 when the action must not be executed because it cannot be recorded
   */
  begin(action: Action): Promise<RecordedAction | undefined>;
}

/** Counts what becomes of actions, requests and their events. */
export interface AuditObserver {
  /** Called once the policy has decided about one. */
  judged(level: AuditLevel): void;
  /** Called for each event that was made. */
  recorded(): void;
  /** Called for a request that was refused because its event could not be recorded. */
  rejected(): void;
}

/** How actions and requests are recorded: policy, backends and limits of one process. */
export interface AuditRecording {
  /** Decides what is recorded. */
  readonly policy: PolicyEvaluator;
  /** Receives the events. */
  readonly backend: AuditBackend;
  /** Counts outcomes of actions and events. */
  readonly observer: AuditObserver;
  /** `apiVersion` of events. */
  readonly apiVersion: string;
  /** Maximum length of a recorded object, characters. */
  readonly maxBodyBytes: number;
  /** Gives the times of events. */
  readonly clock: Clock;
}

/** The process itself is the client. */
const SOURCE_IPS = ['127.0.0.1'];

/** {@link ActionAudit} with the policy and the backends of a process. */
export class ActionRecorder implements ActionAudit {
  constructor(private readonly settings: AuditRecording) {}

  async begin(action: Action): Promise<RecordedAction | undefined> {
    const { policy, observer } = this.settings;
    const { username: name, groups } = action.user;
    const config = policy.evaluate({ name, groups }, action.request);
    observer.judged(config.level);
    if (config.level === 'None') return undefined;
    const recorded = new RecordedAction(action, config, this.settings);
    if ((await recorded.received()) !== false) return recorded;
    observer.rejected();
    throw new StatusError('InternalError', 'Internal error occurred: failed to store audit event');
  }
}

/** Record of an action in progress. */
export class RecordedAction {
  /** Annotations of the server and its plugins. */
  readonly annotations = new AuditNotes();
  readonly #id = randomUUID();
  readonly #receivedMs: number;
  readonly #began: number;
  readonly #bodyNotes = new Map<string, string>();
  #request: string | undefined;
  #response: string | undefined;
  #isCut = false;
  #names: SentNames = {};

  /** @param config recording rules of the policy */
  constructor(
    private readonly action: Action,
    private readonly config: AuditConfig,
    private readonly settings: Pick<AuditRecording, 'backend' | 'observer' | 'apiVersion' | 'maxBodyBytes' | 'clock'>,
  ) {
    this.#receivedMs = settings.clock.wall();
    this.#began = settings.clock.now();
  }

  /** Whether the content of requests is recorded. */
  get wantsRequest(): boolean {
    return this.config.level === 'Request' || this.wantsAnswer;
  }

  /** Whether the object that results is recorded. */
  get wantsAnswer(): boolean {
    return this.config.level === 'RequestResponse';
  }

  /** Records the start of the action. @returns false when the event could not be stored and had to be */
  async received(): Promise<boolean | undefined> {
    return this.#record('RequestReceived', undefined);
  }

  /** Adds an annotation that reveals content of the request, as webhooks and policies may. */
  noteBody(key: string, text: string): void {
    if (text.length > this.settings.maxBodyBytes) this.#isCut = true;
    else this.#bodyNotes.set(key, text);
  }

  /** Records the object that is sent; of a retried write the last one. */
  sent(object: ApiObject): void {
    this.#names = object.metadata ?? {};
    this.patched(object);
  }

  /** Records the patch that is sent. */
  patched(patch: object): void {
    if (this.wantsRequest) this.#request = this.#textOf(patch);
  }

  /** Records the resulting object, or the Status that is the answer. */
  answered(object: object): void {
    if (this.wantsAnswer) this.#response = this.#textOf(object);
  }

  /** Records the end of the action. @param outcome the HTTP status of a success, or the refusal */
  end(outcome: number | StatusError): void {
    if (typeof outcome === 'number') return void this.#record('ResponseComplete', { metadata: {}, code: outcome });
    const { status, message, reason, details, code } = outcome.status;
    this.answered(outcome.status);
    const refusal = { metadata: {}, ...(status && { status }), ...(message && { message }), ...(reason && { reason }) };
    void this.#record('ResponseComplete', { ...refusal, ...(details && { details }), code });
  }

  #textOf(object: object): string | undefined {
    const text = objectText(object as ApiObject, this.config.omitManagedFields);
    if (text.length <= this.settings.maxBodyBytes) return text;
    this.#isCut = true;
    return undefined;
  }

  #record(stage: AuditStage, responseStatus: EventStatus | undefined): Promise<boolean> | undefined {
    if (this.config.omitStages.has(stage)) return undefined;
    const { backend, observer, apiVersion } = this.settings;
    const { user, agent, request } = this.action;
    const annotations = this.#annotations();
    const event = new EventRecord(
      {
        ...{ kind: 'Event', apiVersion, level: this.config.level, auditID: this.#id, stage },
        ...{ requestURI: request.path, verb: request.verb, user, sourceIPs: SOURCE_IPS, userAgent: agent },
        objectRef: objectRefOf(request, this.#names),
        ...(responseStatus && { responseStatus }),
        requestReceivedTimestamp: timeText(this.#receivedMs),
        stageTimestamp: timeText(this.#receivedMs + (responseStatus ? this.settings.clock.now() - this.#began : 0)),
        ...(annotations && { annotations }),
      },
      {
        ...(this.#request !== undefined && { request: this.#request }),
        ...(this.#response !== undefined && { response: this.#response }),
      },
    );
    observer.recorded();
    return backend.submit(event);
  }

  #annotations(): Record<string, string> | undefined {
    const group = this.settings.apiVersion.split('/', 1)[0];
    const notes = { ...Object.fromEntries(this.annotations), ...Object.fromEntries(this.#bodyNotes) };
    const all = this.#isCut ? { ...notes, [`${group}/truncated`]: 'true' } : notes;
    return Object.keys(all).length > 0 ? all : undefined;
  }
}
