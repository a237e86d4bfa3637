import type { ApiObject, JsonObject, JsonValue } from '@orch/machinery';
import type { WebhookClientConfig } from '@orch/webhooks';
import type { AdmittedOperation, Target } from '../attributes.js';
import type { MatchWorld, SentAs } from '../matching/match.js';

/** Converts the objects of a request to the form that webhooks see, and back. */
export interface ReviewedForms extends Pick<MatchWorld, 'own' | 'equivalents'> {
  /** Identifies the snapshot of the served resources: it changes with them. */
  readonly served: unknown;
  /**
   * Returns an object as it is sent: in the version of `as`, and for a subresource with a kind of its own as that kind.
   * Must not be changed.
   */
  sent(object: ApiObject, target: Target, as: SentAs): Promise<ApiObject>;
  /**
   * Applies a patch to an object that was sent; undefined if the patch changes nothing at all.
   * @param patch operations, as they were received
   * @throws Error for one that cannot be applied, or whose result is not an object of that kind
   */
  patched(sent: ApiObject, patch: Buffer, as: SentAs): Promise<Patched | undefined>;
  /**
   * Replaces the object by a patched one; for a subresource with a kind of its own, applies the values of that kind.
   */
  take(object: ApiObject, made: ApiObject, target: Target, as: SentAs): Promise<void>;
}

/** Result of a patch. */
export interface Patched {
  /** The object, with the defaults of its version. */
  readonly object: ApiObject;
  /** Whether it differs from the object that was sent, defaults aside. */
  readonly changed: boolean;
  /** Returns the operations as JSON for the audit log, with all digits of their numbers. */
  operations(): string;
}

/** A call of a webhook. */
export interface ReviewCall {
  /** How the webhook is reached. */
  readonly config: WebhookClientConfig;
  /** Review that is sent. */
  readonly review: JsonObject;
  /** Time that the whole call may take, milliseconds. */
  readonly timeoutMs: number;
}

/** Thrown for a call without an answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  /**
   * @param message contains nothing of what was sent
   * @param code status of an answer that is no review; undefined without an answer
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
  /** Sends a review and returns the answer as JSON. @throws NoAnswer */
  ask(call: ReviewCall): Promise<JsonValue>;
}

/** The phase in which a webhook is called, as metrics call it. */
export type WebhookType = 'admit' | 'validating';

/** A finished call, for metrics. */
export interface ObservedCall {
  /** Its name, which need not be unique. */
  readonly webhook: string;
  /** The phase in which it was called. */
  readonly type: WebhookType;
  /** Operation of the request. */
  readonly operation: AdmittedOperation;
  /** Status code: 200, that of a denial or of a failure; 0 if the server itself failed. */
  readonly code: number;
  /** Whether the request was refused because of this call. */
  readonly rejected: boolean;
  /** Kind of a rejection; absent for none. */
  readonly error?: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';
  /** Duration from the sending until the answer was processed. */
  readonly milliseconds: number;
}

/** Receives events about webhooks, for metrics. */
export interface WebhookObserver {
  /** Counts a call with its outcome. */
  called(call: ObservedCall): void;
  /** Counts a failed call that was ignored, as the failure policy of the webhook demands. */
  failedOpen(webhook: string, type: WebhookType): void;
  /** Counts a match condition of a webhook, or of a policy, that could not be evaluated. */
  conditionFailed(name: string, type: WebhookType | 'validatingadmissionpolicy'): void;
  /** Counts a call that was not made, as many calls of the webhook hang and one of them is of the same caller. */
  notAsked(webhook: string, type: WebhookType): void;
}

/** Requests that no webhook is called for. */
export interface Exemptions {
  /** Namespaces, including the Namespace objects themselves. */
  readonly namespaces: ReadonlySet<string>;
  /** Groups of users. */
  readonly groups: ReadonlySet<string>;
}

/** State of a webhook, for operators. */
export interface WebhookState {
  /** Name of the configuration object that holds it. */
  readonly configuration: string;
  /** Its name, which need not be unique. */
  readonly webhook: string;
  /** The phase in which it is called. */
  readonly type: WebhookType;
  /** Treatment of a failed call. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Number of hanging calls: open for more than half of their timeout, without any answer since they began. */
  readonly hanging: number;
  /**
   * Whether the bound on hanging calls is reached; a webhook that fails closed then gets one call at a time of each
   * caller.
   */
  readonly isFull: boolean;
  /** Why the last call had no answer; empty if it had one. */
  readonly lastFailure: string;
}

/** Host of the plugins that call webhooks: what they need of the process. */
export interface WebhookServices {
  /** Converts objects to the form that webhooks see. */
  readonly forms: ReviewedForms;
  /** Calls webhooks. */
  readonly client: ReviewClient;
  /** Counts calls and failures. */
  readonly observer: WebhookObserver;
  /** Most hanging calls of one webhook before each caller is limited to one open call; 0 for no bound. */
  readonly mostHangingCalls: number;
  /** Requests that no webhook is called for. */
  readonly exempt: Exemptions;
  /** Registers functions that return the states of webhooks, and the authorities that they are trusted by. */
  show(states: () => readonly WebhookState[], trusted: () => readonly WebhookTrust[]): void;
}

/** Authorities that the certificate of a webhook is verified against. */
export interface WebhookTrust {
  /** Resource and name of the configuration, and name of the webhook, separated by `/`. */
  readonly object: string;
  /** Decoded value of the field `caBundle`. */
  readonly pem: string;
}
