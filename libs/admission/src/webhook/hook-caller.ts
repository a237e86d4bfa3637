import { randomUUID } from 'node:crypto';
import { type ApiObject, type JsonObject, type JsonValue, type Names, qualifiedNameErrors } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import type { CallsByWebhook } from './calls-by-webhook.js';
import type { Hook } from './hook.js';
import { callerOf } from './outstanding-calls.js';
import { UnreadableAnswer } from './patch-bytes.js';
import { CallFailed, Denied, denial, noDryRun, outOfTime } from './refusals.js';
import { type Answer, type ReviewVersion, reviewOf, reviewVersion, verifiedAnswer } from './review.js';
import { NoAnswer, type ReviewClient, type WebhookObserver, type WebhookType } from './webhook-services.js';

/** A request for one webhook. */
interface Asked {
  readonly hook: Hook;
  readonly attributes: Attributes;
  /** The request of the review, without its objects. */
  readonly request: JsonObject;
  /** The object, in the version that matched. */
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

interface HookCallerSettings {
  readonly names: Names;
  readonly type: WebhookType;
  readonly client: ReviewClient;
  readonly observer: WebhookObserver;
  readonly calls: CallsByWebhook;
}

/**
 * Status codes under which metrics count failed calls and invalid answers (k8s.io/apiserver,
 * pkg/admission/plugin/webhook).
 */
const CALL_CODE = 400;
const ANSWER_CODE = 503;
/** Timers use a clock that stops while the process is busy, so they may fire early by about this long, ms. */
const TIMERS_ARE_EARLY = 150;

/** Fraction of its timeout after which a call counts as hanging. */
const HANGS_AFTER = 0.5;

/** Returns whether the deadline of the request itself may be the cause of a failure. */
const isOutOfTime = ({ deadline }: Attributes): boolean => performance.now() >= deadline - TIMERS_ARE_EARLY;

/** Calls webhooks one at a time, and applies their failure policies. */
export class HookCaller {
  constructor(private readonly settings: HookCallerSettings) {}

  /**
   * Calls a webhook and passes its answer to `take`.
   * @param failedOpenKey key of the annotation for an ignored failure
   * @returns the result of `take`; undefined for an ignored failure
   * @throws StatusError for a denial, for a failure that is not ignored, from `take`; 504 if the request has no time
   * left
   */
  async call<T>(asked: Asked, failedOpenKey: string, take: (answer: Answer) => T | Promise<T>): Promise<T | undefined> {
    const { hook, attributes } = asked;
    const began = performance.now();
    try {
      const made = await take(await this.#ask(asked));
      this.#observe(asked, began, 200, false);
      return made;
    } catch (error) {
      return this.#failed(error, asked, began, () => attributes.annotate(failedOpenKey, hook.name));
    }
  }

  #failed(error: unknown, asked: Asked, began: number, note: () => void): undefined {
    const { hook, attributes } = asked;
    if (error instanceof Denied) {
      this.#observe(asked, began, error.refusal.code, true, 'no_error');
      throw error.refusal;
    }
    if (!(error instanceof CallFailed)) {
      this.#observe(asked, began, 0, true, 'apiserver_internal_error');
      throw error;
    }
    const rejects = !hook.ignoresFailure;
    this.#observe(asked, began, error.code, rejects, rejects ? 'calling_webhook_error' : undefined);
    if (rejects) throw error.status();
    this.settings.observer.failedOpen(hook.name, this.settings.type);
    note();
    if (isOutOfTime(attributes)) throw outOfTime();
    return undefined;
  }

  #observe(
    { hook, attributes }: Asked,
    began: number,
    code: number,
    rejected: boolean,
    error?: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error',
  ): void {
    const { observer, type } = this.settings;
    observer.called({
      webhook: hook.name,
      type,
      operation: attributes.operation,
      code,
      rejected,
      ...(error && { error }),
      milliseconds: performance.now() - began,
    });
  }

  async #ask(asked: Asked): Promise<Answer> {
    const { hook, attributes, request, object, oldObject } = asked;
    const { names, type } = this.settings;
    if (attributes.options.dryRun && !hook.allowsDryRun) throw noDryRun(hook.name);
    const version = this.#version(hook);
    const uid = randomUUID();
    const review = reviewOf(version, names, uid, request, { object, oldObject });
    const said = await this.#answerTo(asked, review);
    const answer = this.#verified(hook, said, { version, uid, mutating: type === 'admit', names });
    for (const [key, value] of Object.entries(answer.auditAnnotations)) {
      const qualified = `${hook.name}/${key}`;
      if (qualifiedNameErrors(qualified).length === 0) attributes.annotate(qualified, value);
    }
    for (const warning of answer.warnings) attributes.warn(warning);
    if (!answer.allowed) throw denial(hook.name, answer.status);
    return answer;
  }

  #version(hook: Hook): ReviewVersion {
    try {
      return reviewVersion(hook.reviewVersions);
    } catch (error) {
      throw new CallFailed(hook.name, `could not create admission objects: ${(error as Error).message}`, CALL_CODE);
    }
  }

  #verified(hook: Hook, said: JsonValue, expected: Parameters<typeof verifiedAnswer>[1]): Answer {
    try {
      return verifiedAnswer(said, expected);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof UnreadableAnswer)
        throw new CallFailed(hook.name, `failed to call webhook: ${message}`, CALL_CODE);
      throw new CallFailed(hook.name, `received invalid webhook response: ${message}`, ANSWER_CODE);
    }
  }

  async #answerTo({ hook, attributes }: Asked, review: JsonObject): Promise<JsonValue> {
    const { client, observer, calls, type } = this.settings;
    const outstanding = calls.of(hook);
    const caller = callerOf(attributes.user.name);
    // A webhook that fails open is always called: a client that makes it hang must not bypass it.
    if (!hook.ignoresFailure && outstanding.refuses(caller)) {
      observer.notAsked(hook.name, type);
      const why = `not called: ${outstanding.hanging} calls of it hang, and one of the same user has no answer yet`;
      throw new CallFailed(hook.name, `failed to call webhook: ${why}`, CALL_CODE);
    }
    const left = attributes.deadline - performance.now();
    const call = outstanding.begin(caller, hook.timeoutMs * HANGS_AFTER);
    try {
      if (left <= 0) throw new NoAnswer('context deadline exceeded');
      const answer = await client.ask({ config: hook.clientConfig, review, timeoutMs: Math.min(hook.timeoutMs, left) });
      outstanding.answered();
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) {
        outstanding.ended(call);
        throw error;
      }
      if (error.code !== undefined) outstanding.answered();
      // A call with little time left says nothing about the webhook.
      else outstanding.ended(call, isOutOfTime(attributes) ? undefined : error.message);
      const code = error.code === undefined || error.code < CALL_CODE ? CALL_CODE : error.code;
      throw new CallFailed(hook.name, `failed to call webhook: ${error.message}`, code);
    }
  }
}
