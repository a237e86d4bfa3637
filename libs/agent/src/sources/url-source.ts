import { type Clock, type Logger, sleep } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import { MAX_MANIFEST_BYTES } from './file-source.js';
import { ManifestError, type StaticPodReader } from './static-pods.js';

/** Limit of a request, ms. */
const REQUEST_MS = 10_000;
/** Failures in a row that are logged at every verbosity. */
const LOGGED_FAILURES = 3;

/** Settings of a {@link UrlSource}. */
interface UrlSourceSettings {
  /** URL of a Pod or a PodList. */
  readonly url: string;
  /** Headers of requests, `name:value` each. */
  readonly headers: readonly string[];
  /** Interval of requests, ms. */
  readonly everyMs: number;
  /** Reads manifests. */
  readonly reader: StaticPodReader;
  /** Called with all pods after each answer that differs from the one before. */
  readonly onPods: (pods: readonly Pod[]) => void;
  /** Logs failures. */
  readonly logger: Logger;
  /** Times the requests. */
  readonly clock: Clock;
}

/** Source of static pods from a URL. Failures leave the pods as they were. */
export class UrlSource {
  readonly #abort = new AbortController();
  #failures = 0;
  #last: Buffer | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly settings: UrlSourceSettings) {}

  /** Begins to send requests. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the requests. Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.settings;
    while (!this.#abort.signal.aborted) {
      await this.#try();
      await sleep(clock, everyMs, this.#abort.signal);
    }
  }

  async #try(): Promise<void> {
    try {
      await this.#request();
      if (this.#failures > 0) this.settings.logger.info('static pods were read from their URL again');
      this.#failures = 0;
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const { logger } = this.settings;
      const fields = { err: error instanceof Error ? error.message : String(error) };
      if (this.#failures++ < LOGGED_FAILURES) logger.warn('static pods cannot be read from their URL', fields);
      else logger.v(4)?.info('static pods cannot be read from their URL', fields);
    }
  }

  async #request(): Promise<void> {
    const { url, reader, onPods, clock } = this.settings;
    const overdue = new AbortController();
    const cancel = clock.after(REQUEST_MS, () => overdue.abort(new Error('the request timed out')));
    try {
      const signal = AbortSignal.any([overdue.signal, this.#abort.signal]);
      const response = await fetch(url, { headers: headersOf(this.settings.headers), signal });
      const body = await bodyOf(response);
      if (response.status !== 200) throw new ManifestError(`the answer has the status ${response.status}`);
      if (body.length === 0) this.#emptied();
      if (this.#last?.equals(body)) return;
      onPods(reader.readAll(body, { source: 'http', place: url }));
      this.#last = body;
    } finally {
      cancel();
    }
  }

  /** An empty answer ends all pods, and is told as a failure. The same pods as before may come again. */
  #emptied(): never {
    this.#last = undefined;
    this.settings.onPods([]);
    throw new ManifestError('the answer is empty');
  }
}

function headersOf(texts: readonly string[]): Headers {
  const headers = new Headers();
  for (const text of texts) {
    const at = text.indexOf(':');
    headers.append(text.slice(0, at), text.slice(at + 1).trim());
  }
  return headers;
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_MANIFEST_BYTES) throw new ManifestError(`a manifest has at most ${MAX_MANIFEST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
