import { randomUUID } from 'node:crypto';
import { type ApiObject, type JsonObject, type JsonValue, type Names, qualifiedNameErrors } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import type { CallsByWebhook } from './calls-by-webhook.js';
import type { Hook } from './hook.js';
import { callerOf } from './outstanding-calls.js';
import { UnreadableAnswer } from './patch-bytes.js';
import { CallFailed, Denied, denial, noDryRun, outOfTime } from './refusals.js';
import { type Answer, type ReviewVersion, reviewOf, reviewVersion, verifiedAnswer } from './review.js';
import { NoAnswer, type ReviewClient, type WebhookObserver, type WebhookType } from './surroundings.js';

/** What a webhook is asked about. */
interface Asked {
  readonly hook: Hook;
  readonly attributes: Attributes;
  /** The request without its objects. */
  readonly request: JsonObject;
  /** In the version that matched. */
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

/** What an answer that is no review is counted as (k8s.io/apiserver, pkg/admission/plugin/webhook). */
const CALL_CODE = 400;
const ANSWER_CODE = 503;
/** Timers go by a clock that stands still while the process works, and so may be early by about as long, ms. */
const TIMERS_ARE_EARLY = 150;

/** The part of its time after which a call hangs. */
const HANGS_AFTER = 0.5;

/** Whether what failed may have failed for want of time of the request itself. */
const isOutOfTime = ({ deadline }: Attributes): boolean => performance.now() >= deadline - TIMERS_ARE_EARLY;

/** Calls webhooks one at a time, and says what follows for the request. */
export class HookCaller {
  constructor(private readonly settings: HookCallerSettings) {}

  /**
   * Asks, and lets `take` make something of what is answered.
   * @param failedOpenKey of the note that a failure was ignored
   * @returns undefined where the webhook failed and may
   * @throws StatusError of a denial, of a failure that is not ignored, of what `take` throws; 504 where the request has no time left
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
    // What fails open is always asked: whoever makes a webhook hang must not get past it.
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
      // Who had little time left says nothing about the webhook.
      else outstanding.ended(call, isOutOfTime(attributes) ? undefined : error.message);
      const code = error.code === undefined || error.code < CALL_CODE ? CALL_CODE : error.code;
      throw new CallFailed(hook.name, `failed to call webhook: ${error.message}`, code);
    }
  }
}
