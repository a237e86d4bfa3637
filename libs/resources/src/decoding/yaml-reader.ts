import { isUtf8 } from 'node:buffer';
import { Worker } from 'node:worker_threads';
import { JsonSyntaxError, type ParsedJson, parseJson, TooManyValuesError, YamlSyntaxError } from '@orch/codec';
import { badRequest, StatusError, timeout, tooManyRequests, unavailable } from '@orch/machinery';
import { FairLine, turnFor } from '@orch/runtime/work';
import {
  type ConvertedYaml,
  convertYaml,
  type YamlAnswer,
  type YamlQuestion,
  type YamlReadLimits,
} from './convert-yaml.js';

/**
 * Size above which a document is parsed in a worker thread, bytes: parsing YAML takes some ten microseconds a value.
 */
const INLINE_BYTES = 8 << 10;
/**
 * Maximum number of documents that wait for the thread, in all and of one user, and seconds after which a refused
 * client may retry.
 */
const MAX_WAITING = 64;
const MAX_WAITING_OF_USER = 16;
const RETRY_SECONDS = 1;
/** Timeout for parsing a document, milliseconds; the largest documents allowed take a tenth of it. */
const PATIENCE_MS = 30_000;

/** A thread that exceeds these limits ends; without them the process would. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 };
const startThread = () => new Worker(new URL('./yaml-worker.js', import.meta.url), { resourceLimits: THREAD_LIMITS });

/** Sender of a document. */
export interface Sender {
  /** Name of the user; users take turns. */
  readonly user: string;
  /** Whether the request has ended, so that its result is not needed any more. */
  isGone(): boolean;
}

/** A parsed document. */
export interface YamlDocument {
  readonly parsed: ParsedJson;
  /** Repeated keys, one message each; those of JSON documents are in `parsed`. */
  readonly repeated: readonly string[];
}

interface Waiting {
  readonly question: YamlQuestion;
  readonly sender: Sender;
  resolve(converted: ConvertedYaml): void;
  reject(error: Error): void;
}

/**
 * Parses YAML without blocking other requests: long documents one by one in a thread, which is started when first
 * needed.
 */
export class YamlReader {
  readonly #line = new FairLine<Waiting>();
  #worker: Worker | undefined;
  #current: Waiting | undefined;
  #asked = 0;
  #patience: NodeJS.Timeout | undefined;

  /** @param thread starts a thread that answers each {@link YamlQuestion} with a {@link YamlAnswer} */
  constructor(private readonly thread: () => Worker = startThread) {}

  /**
   * @throws YamlSyntaxError, also for bytes that are not UTF-8, TooManyValuesError, StatusError 429 while too many
   * others wait, 504 for a document that takes too long, 413 for one that takes too much memory, 500 when its thread
   * fails otherwise
   */
  async read(bytes: Buffer, limits: YamlReadLimits, sender: Sender): Promise<YamlDocument> {
    // Malformed bytes must not be stored as something else.
    if (!isUtf8(bytes)) throw new YamlSyntaxError('yaml: invalid leading UTF-8 octet');
    const text = bytes.toString('utf8');
    // Most programs send JSON where YAML is allowed.
    const plain = plainJson(text, limits);
    if (plain) return { parsed: plain, repeated: [] };
    await turnFor(bytes.length);
    const inline = bytes.length <= INLINE_BYTES;
    const { json, repeated } = inline ? convertYaml(text, limits) : await this.#convert(text, limits, sender);
    await turnFor(json.length);
    return { parsed: parseJson(json, limits), repeated };
  }

  /** Ends the thread; refuses all documents that still wait. */
  close(): void {
    const closing = unavailable('the server is shutting down', RETRY_SECONDS);
    for (const { reject } of this.#line.remove(() => true)) reject(closing);
    if (this.#worker) this.#lose(this.#worker, closing);
  }

  async #convert(text: string, limits: YamlReadLimits, sender: Sender): Promise<ConvertedYaml> {
    this.#makeRoom(sender);
    return new Promise((resolve, reject) => {
      this.#line.add(sender.user, { question: { id: this.#asked++, text, limits }, sender, resolve, reject });
      this.#next();
    });
  }

  /** @throws StatusError 429 */
  #makeRoom({ user }: Sender): void {
    const isFull = () => this.#line.length >= MAX_WAITING || this.#line.of(user) >= MAX_WAITING_OF_USER;
    if (!isFull()) return;
    for (const { reject } of this.#line.remove(({ sender }) => sender.isGone())) reject(clientGone());
    if (isFull()) throw tooManyRequests('too many documents of YAML are being read', RETRY_SECONDS);
  }

  #next(): void {
    if (this.#current) return;
    let next = this.#line.next();
    for (; next?.sender.isGone(); next = this.#line.next()) next.reject(clientGone());
    if (!next) return;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#current = next;
    this.#patience = setTimeout(() => this.#lose(worker, tooSlow()), PATIENCE_MS).unref();
    worker.postMessage(next.question);
  }

  #start(): Worker {
    const worker = this.thread();
    worker.unref();
    const failed = (error?: unknown) => this.#lose(worker, isOutOfMemory(error) ? tooHeavy() : unreadable());
    worker.on('message', (answer: YamlAnswer) => this.#take(worker, answer));
    worker.on('error', failed);
    worker.on('exit', () => failed());
    return worker;
  }

  #take(worker: Worker, answer: YamlAnswer): void {
    if (worker !== this.#worker || answer.id !== this.#current?.question.id) return;
    const current = this.#finish();
    if ('converted' in answer) current?.resolve(answer.converted);
    else if ('message' in answer) current?.reject(new YamlSyntaxError(answer.message));
    else current?.reject(new TooManyValuesError(answer.tooManyValues));
    this.#next();
  }

  /** Terminates the thread and rejects the document that it was parsing; waiting documents get a new thread. */
  #lose(worker: Worker, why: StatusError): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#finish()?.reject(why);
    this.#next();
  }

  #finish(): Waiting | undefined {
    const current = this.#current;
    clearTimeout(this.#patience);
    this.#current = undefined;
    return current;
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooHeavy = () =>
  new StatusError('RequestEntityTooLarge', 'Request entity too large: reading the document takes too much memory');
const unreadable = () => new StatusError('InternalError', 'the document could not be read');
const tooSlow = () => timeout('the document takes too long to read', RETRY_SECONDS);
const clientGone = () => badRequest('the client has gone');

/** Parses JSON without the thread; undefined for YAML, and for JSON with a repeated name. @throws TooManyValuesError */
function plainJson(text: string, limits: YamlReadLimits): ParsedJson | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const parsed = parseJson(text, limits);
    return parsed.duplicates ? undefined : parsed;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
