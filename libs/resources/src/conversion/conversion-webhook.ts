import { randomUUID } from 'node:crypto';
import { JsonSyntaxError, stringifyJson, TooManyValuesError } from '@orch/codec';
import { ConversionRefused, conversionReview, convertedObjects, kindText } from '@orch/kinds';
import { type ApiObject, type JsonObject, parseApiVersion, StatusError } from '@orch/machinery';
import { turnFor } from '@orch/runtime/work';
import { AnswerTooLarge, type WebhookClientConfig, type WebhookClients, WebhookError } from '@orch/webhooks';
import { ByteGate } from './byte-gate.js';
import { FailureAttribution } from './failure-attribution.js';
import type { KeptConversions } from './kept-conversions.js';
import type { RefusedObject } from './refused-objects.js';
import { readAnswer } from './review-answer.js';
import type { Sent } from './sent-object.js';

/** Limits of one call of a webhook; more objects are converted by several calls in sequence. */
export interface ConversionLimits {
  /** Timeout of a call, milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of objects of a call. */
  readonly maxObjects: number;
  /** Bytes of objects after which no more are added to a call. */
  readonly maxBytes: number;
  /** Maximum bytes of stored objects of one definition that are being converted for requests at a time. */
  readonly maxHeldBytes: number;
  /** Maximum number of values in one object of a response: scalars, objects and lists together. */
  readonly maxValues: number;
  /** Maximum bytes of one object of a response. */
  readonly maxObjectBytes: number;
}

/** A finished call of a conversion webhook, for metrics. */
export interface ObservedConversion {
  /** Name of the definition. */
  readonly definition: string;
  /** Name of the version of the objects (of the first one at least). */
  readonly from: string;
  /** Name of the requested version. */
  readonly to: string;
  readonly succeeded: boolean;
  /** Duration, milliseconds. */
  readonly took: number;
}

/** Dependencies shared by the conversion webhooks of all definitions. */
export interface ConversionCalls {
  /** Connections to webhooks. */
  readonly clients: Pick<WebhookClients, 'post'>;
  /** Limits of each call, and of all calls together. */
  readonly limits: ConversionLimits;
  /** Cache of conversions made for lists; absent where nothing is cached. */
  readonly kept?: KeptConversions;
  /** Called after each call of a webhook, for metrics. Default: nothing is counted. */
  readonly observe?: (conversion: ObservedConversion) => void;
  /** Called for each object that the webhook refuses to convert even in a call of its own. */
  readonly onRefused?: (refused: RefusedObject) => void;
}

/** The webhook that a definition names. */
export interface NamedWebhook {
  readonly clientConfig: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

/** The webhook that converts the objects of a definition. */
export class ConversionWebhook {
  readonly #room: ByteGate;
  /** Failure attribution by requested version. */
  readonly #byVersion = new Map<string, FailureAttribution>();

  /**
   * @param definition name of the definition
   * @param group API group of CustomResourceDefinitions and of the reviews
   */
  constructor(
    private readonly definition: string,
    private readonly group: string,
    private readonly webhook: NamedWebhook,
    private readonly calls: ConversionCalls,
  ) {
    const { maxHeldBytes, timeoutMs } = calls.limits;
    this.#room = new ByteGate(maxHeldBytes, timeoutMs, `objects of ${definition} are being converted`);
  }

  get limits(): ConversionLimits {
    return this.calls.limits;
  }

  get kept(): KeptConversions | undefined {
    return this.calls.kept;
  }

  /**
   * Waits for capacity to convert this much: requests that wait for a slow webhook must not fill all memory. @returns a
   * function to call when the conversion is done
   * @throws StatusError 429
   */
  room(bytes: number): Promise<() => void> {
    return this.#room.enter(bytes);
  }

  /**
   * Converts objects to another version in few calls; keeps their order, and does not prune the results to the schema.
   * @param sent objects, each in another version than the requested one
   * @throws StatusError 500 with the message of the reference, when a call fails
   */
  async convert(sent: readonly Sent[], desiredAPIVersion: string): Promise<ApiObject[]> {
    const converted: ApiObject[] = [];
    for (const chunk of this.#chunks(sent)) {
      for (const object of await this.#observed(chunk, desiredAPIVersion)) converted.push(object);
    }
    return converted;
  }

  /**
   * Same, with a refusal in place of each object that the webhook answers for and does not convert: chunks that are
   * refused are divided into halves, and so are those that a webhook repeatedly fails for, though not for others.
   * @throws StatusError 500 when there is no answer to one of the calls
   */
  async convertEach(sent: readonly Sent[], desiredAPIVersion: string): Promise<(ApiObject | RefusedByWebhook)[]> {
    const converted: (ApiObject | RefusedByWebhook)[] = [];
    for (const chunk of this.#chunks(sent)) {
      const made = await this.#each(chunk, desiredAPIVersion);
      this.#failures(desiredAPIVersion).answered(chunk.sent.filter((_, at) => !(made[at] instanceof RefusedByWebhook)));
      for (const object of made) converted.push(object);
    }
    return converted;
  }

  async #each(chunk: Chunk, desiredAPIVersion: string): Promise<(ApiObject | RefusedByWebhook)[]> {
    try {
      return await this.#observed(chunk, desiredAPIVersion);
    } catch (error) {
      const refusal = await this.#refusalOf(error, chunk, desiredAPIVersion);
      if (chunk.sent.length === 1) {
        // The webhook's own message was logged when it arrived.
        if (refusal !== error) this.#reportRefused(chunk, desiredAPIVersion, refusal.message);
        return [refusal];
      }
      const [first, second] = chunk.halves();
      return [...(await this.#each(first, desiredAPIVersion)), ...(await this.#each(second, desiredAPIVersion))];
    }
  }

  /** Turns a failed call into the error of an object, if only some objects cause it. @throws it if all do */
  async #refusalOf(error: unknown, { sent }: Chunk, desiredAPIVersion: string): Promise<RefusedByWebhook> {
    if (error instanceof RefusedByWebhook) return error;
    if (!(error instanceof Unanswered)) throw error;
    const failures = this.#failures(desiredAPIVersion);
    const isAnswered = (sample: Sent): Promise<boolean> =>
      this.#observed(new Chunk([sample]), desiredAPIVersion).then(
        () => true,
        (failure: unknown) => failure instanceof RefusedByWebhook,
      );
    if (!(await failures.isByObjects(sent, isAnswered))) throw error;
    const [alone, ...others] = sent;
    if (alone && others.length === 0 && !failures.isResponsible(alone)) throw error;
    return new RefusedByWebhook(error.message);
  }

  #failures(desiredAPIVersion: string): FailureAttribution {
    const known = this.#byVersion.get(desiredAPIVersion) ?? new FailureAttribution();
    this.#byVersion.set(desiredAPIVersion, known);
    return known;
  }

  *#chunks(all: readonly Sent[]): Generator<Chunk> {
    const { maxObjects, maxBytes } = this.calls.limits;
    let chunk = new Chunk();
    for (const sent of all) {
      if (chunk.isFullWith(sent.text.length, maxObjects, maxBytes)) {
        yield chunk;
        chunk = new Chunk();
      }
      chunk.add(sent);
    }
    if (chunk.sent.length > 0) yield chunk;
  }

  async #observed(chunk: Chunk, desiredAPIVersion: string): Promise<ApiObject[]> {
    const began = performance.now();
    let succeeded = false;
    try {
      const converted = await this.#call(chunk, desiredAPIVersion);
      succeeded = true;
      return converted;
    } catch (error) {
      if (error instanceof RefusedByWebhook) this.#reportRefused(chunk, desiredAPIVersion, error.message);
      throw error;
    } finally {
      this.calls.observe?.({
        definition: this.definition,
        from: versionOf(chunk.apiVersion),
        to: versionOf(desiredAPIVersion),
        succeeded,
        took: performance.now() - began,
      });
    }
  }

  /** Reports a refused object; in a chunk of several it is unknown which one is refused. */
  #reportRefused({ sent: [one, ...others], apiVersion }: Chunk, desiredAPIVersion: string, message: string): void {
    if (!one || others.length > 0) return;
    const { namespace = '', name = '', uid = '' } = one.object.metadata ?? {};
    const [from, to] = [versionOf(apiVersion), versionOf(desiredAPIVersion)];
    this.calls.onRefused?.({ definition: this.definition, namespace, name, uid, from, to, message });
  }

  async #call({ sent, apiVersion, bytes }: Chunk, desiredAPIVersion: string): Promise<ApiObject[]> {
    const objects = sent.map(({ object }) => object);
    const subject = kindText(apiVersion, objects[0]?.kind ?? '');
    const request = {
      group: this.group,
      reviewVersions: this.webhook.conversionReviewVersions,
      uid: randomUUID(),
      desiredAPIVersion,
      objects: objects as readonly JsonObject[],
      subject,
      isList: objects.length > 1,
    };
    try {
      const empty = stringifyJson(conversionReview({ ...request, objects: [] }));
      await turnFor(bytes);
      const answer = await this.#post(reviewOf(empty, sent));
      const { maxValues, maxObjectBytes: maxBytes } = this.calls.limits;
      const review = await readAnswer(answer, { objects: objects.length, maxValues, maxBytes });
      await turnFor(answer.length);
      return convertedObjects(review, request) as ApiObject[];
    } catch (error) {
      throw failureOf(error, subject);
    }
  }

  #post(body: Buffer): Promise<Buffer> {
    const { clients, limits } = this.calls;
    return clients.post(this.webhook.clientConfig, { body, timeoutMs: limits.timeoutMs, sendsTimeout: true });
  }
}

/** End of the JSON of a review without objects. */
const NOTHING_IN_IT = ']}}';

/** Returns a review that contains the objects. */
function reviewOf(empty: string, sent: readonly Sent[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(empty.slice(0, -NOTHING_IN_IT.length))];
  for (const [at, { text }] of sent.entries()) {
    if (at > 0) pieces.push(COMMA);
    pieces.push(text);
  }
  pieces.push(Buffer.from(NOTHING_IN_IT));
  return Buffer.concat(pieces);
}

const COMMA = Buffer.from(',');

/** Objects that are sent in one call. */
class Chunk {
  readonly sent: Sent[] = [];
  bytes = 0;

  constructor(sent: readonly Sent[] = []) {
    for (const each of sent) this.add(each);
  }

  /** `apiVersion` of the first object, which messages and metrics report. */
  get apiVersion(): string {
    return this.sent[0]?.object.apiVersion ?? '';
  }

  isFullWith(more: number, maxObjects: number, maxBytes: number): boolean {
    const { length } = this.sent;
    return length >= maxObjects || (length > 0 && this.bytes + more > maxBytes);
  }

  halves(): readonly [Chunk, Chunk] {
    const middle = this.sent.length >> 1;
    return [new Chunk(this.sent.slice(0, middle)), new Chunk(this.sent.slice(middle))];
  }

  add(sent: Sent): void {
    this.sent.push(sent);
    this.bytes += sent.text.length;
  }
}

const versionOf = (apiVersion: string): string => parseApiVersion(apiVersion)?.version ?? '';

/** Thrown when a webhook has responded, but not with the objects: only a call with fewer objects may succeed. */
class RefusedByWebhook extends StatusError {
  constructor(message: string) {
    super('InternalError', message);
  }
}

/** Thrown when there was no usable response at all. */
class Unanswered extends StatusError {
  constructor(message: string) {
    super('InternalError', message);
  }
}

/** Errors of responses that were received but cannot be used. */
const UNUSABLE = [JsonSyntaxError, TooManyValuesError, AnswerTooLarge];

/** Converts an error to the one that clients see; errors that are no failure of the webhook are returned unchanged. */
function failureOf(error: unknown, subject: string): unknown {
  if (error instanceof ConversionRefused) return new RefusedByWebhook(error.message);
  const failed = () => `conversion webhook for ${subject} failed: ${(error as Error).message}`;
  if (UNUSABLE.some((kind) => error instanceof kind)) return new RefusedByWebhook(failed());
  return error instanceof WebhookError ? new Unanswered(failed()) : error;
}
