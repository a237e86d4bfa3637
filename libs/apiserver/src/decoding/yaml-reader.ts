import { Worker } from 'node:worker_threads';
import { JsonSyntaxError, parseJson, TooManyValuesError, YamlSyntaxError } from '@orch/codec';
import { tooManyRequests } from '@orch/machinery';
import {
  type ConvertedYaml,
  convertYaml,
  type YamlAnswer,
  type YamlQuestion,
  type YamlReadLimits,
} from './convert-yaml.js';

/** Reading YAML takes some ten microseconds a value: a longer document is read in a thread of its own. */
const INLINE_BYTES = 8 << 10;
/** Documents that may wait for the thread, and seconds after which a client that was turned away may ask again. */
const MAX_WAITING = 64;
const RETRY_SECONDS = 1;
/** After this long nothing more is hoped for a document. Those of the largest size take a tenth of it. */
const PATIENCE_MS = 30_000;

/** A thread beyond them ends; without them the process would. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 };

interface Waiting {
  resolve(converted: ConvertedYaml): void;
  reject(error: Error): void;
}

/** Turns YAML into JSON without keeping other requests waiting. The thread is started when it is first needed. */
export class YamlReader {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #limit: NodeJS.Timeout | undefined;

  /** @throws YamlSyntaxError, TooManyValuesError, StatusError 429 while too many others wait */
  async read(bytes: Buffer, limits: YamlReadLimits): Promise<ConvertedYaml> {
    const text = bytes.toString('utf8');
    if (bytes.length <= INLINE_BYTES) return convertYaml(text, limits);
    if (isPlainJson(text, limits)) return { json: text, repeated: [] };
    if (this.#waiting.size >= MAX_WAITING) {
      throw tooManyRequests('too many documents of YAML are being read', RETRY_SECONDS);
    }
    const worker = this.#start();
    return new Promise((resolve, reject) => {
      const id = this.#asked++;
      this.#waiting.set(id, { resolve, reject });
      this.#limit ??= this.#awaitAnswer();
      worker.postMessage({ id, text, limits } satisfies YamlQuestion);
    });
  }

  /** Ends the thread; whatever still waits is refused. */
  close(): void {
    this.#end('the server is shutting down');
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./yaml-worker.js', import.meta.url), { resourceLimits: THREAD_LIMITS });
    worker.unref();
    worker.on('message', (answer: YamlAnswer) => this.#take(answer));
    worker.on('error', (error) => this.#worker === worker && this.#end(error.message));
    this.#worker = worker;
    return worker;
  }

  #awaitAnswer(): NodeJS.Timeout {
    return setTimeout(() => this.#end('the document takes too long to read'), PATIENCE_MS).unref();
  }

  #take(answer: YamlAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    clearTimeout(this.#limit);
    this.#limit = this.#waiting.size > 0 ? this.#awaitAnswer() : undefined;
    if ('converted' in answer) waiting?.resolve(answer.converted);
    else if ('message' in answer) waiting?.reject(new YamlSyntaxError(answer.message));
    else waiting?.reject(new TooManyValuesError(answer.tooManyValues));
  }

  #end(why: string): void {
    clearTimeout(this.#limit);
    this.#limit = undefined;
    void this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new YamlSyntaxError(why));
    this.#waiting.clear();
  }
}

/** Most programs send JSON where YAML is asked for; that needs no thread, unless a name stands twice. @throws TooManyValuesError */
function isPlainJson(text: string, limits: YamlReadLimits): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    return parseJson(text, limits).duplicates === undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
