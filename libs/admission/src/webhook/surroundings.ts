import type { ApiObject, JsonObject, JsonValue } from '@orch/machinery';
import type { WebhookClientConfig } from '@orch/webhooks';
import type { Operation, Target } from '../attributes.js';
import type { MatchWorld, SentAs } from '../matching/match.js';

/** How the objects of a request look to webhooks. */
export interface ReviewedForms extends Pick<MatchWorld, 'own' | 'equivalents'> {
  /** Tells snapshots of what is served apart. */
  readonly served: unknown;
  /** An object as it is sent: in the version of `as`, and of a subresource with a kind of its own as that. Not to be changed. */
  sent(object: ApiObject, target: Target, as: SentAs): Promise<ApiObject>;
  /**
   * What a patch makes of what was sent; undefined where the patch changes nothing at all.
   * @param patch operations, as they came
   * @throws Error for one that cannot be applied, or whose result is no such object
   */
  patched(sent: ApiObject, patch: Buffer, as: SentAs): Promise<Patched | undefined>;
  /** Puts what was made of what was sent in the place of the object; of what has a kind of its own, what that says. */
  take(object: ApiObject, made: ApiObject, target: Target, as: SentAs): Promise<void>;
}

/** What a patch has made. */
export interface Patched {
  /** With the defaults of its version. */
  readonly object: ApiObject;
  /** Whether it is another than was sent, defaults aside. */
  readonly changed: boolean;
  /** Makes the text of the operations, for the audit log: JSON, with all digits of its numbers. */
  operations(): string;
}

/** A call of a webhook. */
export interface ReviewCall {
  /** Where it is. */
  readonly config: WebhookClientConfig;
  /** What is sent. */
  readonly review: JsonObject;
  /** How long all of it may take. */
  readonly timeoutMs: number;
}

/** Thrown for a call without an answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  /**
   * @param message without anything that was sent
   * @param code of the answer, where there was one that is no review; undefined where there was none
   */
  constructor(
    message: string,
    readonly code?: number,
  ) {
    super(message);
  }
}

/** Calls webhooks. */
export interface ReviewClient {
  /** What was answered, as JSON. @throws NoAnswer */
  ask(call: ReviewCall): Promise<JsonValue>;
}

/** Which of the two phases a webhook is asked in, as metrics call it. */
export type WebhookType = 'admit' | 'validating';

/** A call, for those who count. */
export interface ObservedCall {
  /** Its name, which need not be unique. */
  readonly webhook: string;
  /** The phase that it is asked in. */
  readonly type: WebhookType;
  /** What the request does. */
  readonly operation: Operation;
  /** 200, that of a denial, or of what went wrong; 0 where the server itself failed. */
  readonly code: number;
  /** Whether the request was refused for it. */
  readonly rejected: boolean;
  /** What a rejection was about; absent where there was none. */
  readonly error?: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';
  /** From the sending to what followed from the answer. */
  readonly milliseconds: number;
}

/** What is seen of webhooks. */
export interface WebhookObserver {
  /** A webhook was to be called, and this came of it. */
  called(call: ObservedCall): void;
  /** A call failed, and the request went on as its webhook wants it. */
  failedOpen(webhook: string, type: WebhookType): void;
  /** A condition of a webhook, or of a policy, could not be evaluated. */
  conditionFailed(name: string, type: WebhookType | 'validatingadmissionpolicy'): void;
  /** A webhook was not called, as many calls of it hang and one of them is of the same caller. */
  notAsked(webhook: string, type: WebhookType): void;
}

/** Whose requests no webhook sees. */
export interface Exemptions {
  /** Namespaces, those objects themselves among them. */
  readonly namespaces: ReadonlySet<string>;
  /** Groups of users. */
  readonly groups: ReadonlySet<string>;
}

/** A webhook, for those who look after the cluster. */
export interface WebhookState {
  /** Name of the object that it stands in. */
  readonly configuration: string;
  /** Its name, which need not be unique. */
  readonly webhook: string;
  /** The phase that it is asked in. */
  readonly type: WebhookType;
  /** What a failure means for requests. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Calls that hang: out for more than half of their time, and nothing has been answered since they began. */
  readonly hanging: number;
  /** Whether as many hang as may; where it fails closed, a caller has one call out at a time then. */
  readonly isFull: boolean;
  /** Why the last call had no answer; empty where it had one. */
  readonly lastFailure: string;
}

/** What the plugins that call webhooks need of the process. */
export interface WebhookSurroundings {
  /** How objects look. */
  readonly forms: ReviewedForms;
  /** Calls. */
  readonly client: ReviewClient;
  /** Counts. */
  readonly observer: WebhookObserver;
  /** Calls of one webhook that may hang, before callers have one call out at a time; 0 for no bound. */
  readonly mostHangingCalls: number;
  /** Whom no webhook is asked about. */
  readonly exempt: Exemptions;
  /** Notes who tells the states of webhooks, and whom they are believed by. */
  show(states: () => readonly WebhookState[], trusted: () => readonly WebhookTrust[]): void;
}

/** Authorities by which a webhook is believed. */
export interface WebhookTrust {
  /** Resource and name of the configuration, and name of the webhook. */
  readonly object: string;
  /** Decoded value of the field. */
  readonly pem: string;
}
