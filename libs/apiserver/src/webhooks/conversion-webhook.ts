import { randomUUID } from 'node:crypto';
import { JsonSyntaxError, stringifyJson, TooManyValuesError } from '@orch/codec';
import { ConversionRefused, conversionReview, convertedObjects, kindText } from '@orch/kinds';
import { type ApiObject, type JsonObject, parseApiVersion, StatusError } from '@orch/machinery';
import { AnswerTooLarge, type WebhookClientConfig, type WebhookClients, WebhookError } from '@orch/webhooks';
import { Slices, turnFor } from '../decoding/turns.js';
import { ByteGate } from './byte-gate.js';
import type { KeptConversions } from './kept-conversions.js';
import { readAnswer } from './review-answer.js';

/** What one call of a webhook may take; more is asked for with several, one after another. */
export interface ConversionLimits {
  /** How long a call may take, milliseconds. */
  readonly timeoutMs: number;
  /** Objects of a call. */
  readonly maxObjects: number;
  /** Bytes of objects after which no more are added to a call. */
  readonly maxBytes: number;
  /** Bytes of the stored objects of one definition that requests may be having converted at a time. */
  readonly maxHeldBytes: number;
  /** Values in one object of an answer, scalars, objects and lists together. */
  readonly maxValues: number;
  /** Bytes of one object of an answer. */
  readonly maxObjectBytes: number;
}

/** A call of a webhook, for those who count. */
export interface ObservedConversion {
  /** Name of the definition. */
  readonly definition: string;
  /** Name of the version that the objects, the first of them at least, were in. */
  readonly from: string;
  /** Name of the version that they were to be in. */
  readonly to: string;
  readonly succeeded: boolean;
  /** How long it took, milliseconds. */
  readonly took: number;
}

/** What webhooks of all definitions are asked with. */
export interface ConversionCalls {
  readonly clients: Pick<WebhookClients, 'post'>;
  readonly limits: ConversionLimits;
  /** What lists have had converted; absent where nothing is kept. */
  readonly kept?: KeptConversions;
  readonly observe?: (conversion: ObservedConversion) => void;
}

/** The webhook that a definition names. */
export interface NamedWebhook {
  readonly clientConfig: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

/** The webhook that converts the objects of a definition. */
export class ConversionWebhook {
  readonly #room: ByteGate;

  /**
   * @param definition name of the definition
   * @param group that of definitions, which reviews are of
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
   * Waits until there is room for a request that has so much to convert: a webhook that is slow must not have all memory filled with what
   * waits for it. @returns what is to be called when that is done
   * @throws StatusError 429
   */
  room(bytes: number): Promise<() => void> {
    return this.#room.enter(bytes);
  }

  /**
   * The objects in another version, in the order given, not made to fit its schema. As few calls as the limits allow.
   * @param objects whole, each in another version than that; not changed
   * @throws StatusError 500 in the words of the reference, when one of the calls fails
   */
  async convert(objects: readonly ApiObject[], desiredAPIVersion: string): Promise<ApiObject[]> {
    const converted: ApiObject[] = [];
    for await (const chunk of this.#chunks(objects)) {
      for (const object of await this.#observed(chunk, desiredAPIVersion)) converted.push(object);
    }
    return converted;
  }

  /**
   * The same, with a refusal in place of each object that the webhook answers for and does not convert: those that are refused together
   * are asked for by halves. @throws StatusError 500 when there is no answer to one of the calls
   */
  async convertEach(
    objects: readonly ApiObject[],
    desiredAPIVersion: string,
  ): Promise<(ApiObject | RefusedByWebhook)[]> {
    const converted: (ApiObject | RefusedByWebhook)[] = [];
    for await (const chunk of this.#chunks(objects)) {
      for (const object of await this.#each(chunk, desiredAPIVersion)) converted.push(object);
    }
    return converted;
  }

  async #each(chunk: Chunk, desiredAPIVersion: string): Promise<(ApiObject | RefusedByWebhook)[]> {
    try {
      return await this.#observed(chunk, desiredAPIVersion);
    } catch (error) {
      if (!(error instanceof RefusedByWebhook)) throw error;
      if (chunk.objects.length === 1) return [error];
      const [first, second] = chunk.halves();
      return [...(await this.#each(first, desiredAPIVersion)), ...(await this.#each(second, desiredAPIVersion))];
    }
  }

  async *#chunks(objects: readonly ApiObject[]): AsyncGenerator<Chunk> {
    const { maxObjects, maxBytes } = this.calls.limits;
    const slices = new Slices();
    let chunk = new Chunk();
    for (const object of objects) {
      const text = stringifyJson(object);
      if (chunk.isFullWith(text.length, maxObjects, maxBytes)) {
        yield chunk;
        chunk = new Chunk();
      }
      chunk.add(object, text);
      await slices.between();
    }
    if (chunk.objects.length > 0) yield chunk;
  }

  async #observed(chunk: Chunk, desiredAPIVersion: string): Promise<ApiObject[]> {
    const began = performance.now();
    let succeeded = false;
    try {
      const converted = await this.#call(chunk, desiredAPIVersion);
      succeeded = true;
      return converted;
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

  async #call({ objects, texts, apiVersion, bytes }: Chunk, desiredAPIVersion: string): Promise<ApiObject[]> {
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
      const head = stringifyJson(conversionReview({ ...request, objects: [] }));
      await turnFor(bytes);
      const answer = await this.#post(`${head.slice(0, -NOTHING_IN_IT.length)}[${texts.join(',')}]}}`);
      const { maxValues, maxObjectBytes: maxBytes } = this.calls.limits;
      const review = await readAnswer(answer, { objects: objects.length, maxValues, maxBytes });
      await turnFor(answer.length);
      return convertedObjects(review, request) as ApiObject[];
    } catch (error) {
      throw failureOf(error, subject);
    }
  }

  #post(body: string): Promise<Buffer> {
    const { clients, limits } = this.calls;
    return clients.post(this.webhook.clientConfig, { body, timeoutMs: limits.timeoutMs, tellsTimeout: true });
  }
}

/** How a review without objects ends. */
const NOTHING_IN_IT = '[]}}';

/** What goes with one call. */
class Chunk {
  readonly objects: ApiObject[] = [];
  readonly texts: string[] = [];
  bytes = 0;

  /** That of the first object: what messages and figures speak of. */
  get apiVersion(): string {
    return this.objects[0]?.apiVersion ?? '';
  }

  isFullWith(more: number, maxObjects: number, maxBytes: number): boolean {
    const { length } = this.objects;
    return length >= maxObjects || (length > 0 && this.bytes + more > maxBytes);
  }

  halves(): readonly [Chunk, Chunk] {
    const middle = this.objects.length >> 1;
    const halves = [new Chunk(), new Chunk()] as const;
    for (const [at, object] of this.objects.entries()) halves[at < middle ? 0 : 1].add(object, this.texts[at] ?? '');
    return halves;
  }

  add(object: ApiObject, text: string): void {
    this.objects.push(object);
    this.texts.push(text);
    this.bytes += text.length;
  }
}

const versionOf = (apiVersion: string): string => parseApiVersion(apiVersion)?.version ?? '';

/** Thrown where a webhook has answered, though not with the objects: asking again is of no use, asking for fewer may be. */
export class RefusedByWebhook extends StatusError {
  constructor(message: string) {
    super('InternalError', message);
  }
}

/** What is an answer, though not one that can be used. */
const UNUSABLE = [JsonSyntaxError, TooManyValuesError, AnswerTooLarge];

/** As a client is told; what is no failure of the webhook stays what it is. */
function failureOf(error: unknown, subject: string): unknown {
  if (error instanceof ConversionRefused) return new RefusedByWebhook(error.message);
  const failed = () => `conversion webhook for ${subject} failed: ${(error as Error).message}`;
  if (UNUSABLE.some((kind) => error instanceof kind)) return new RefusedByWebhook(failed());
  return error instanceof WebhookError ? new StatusError('InternalError', failed()) : error;
}
