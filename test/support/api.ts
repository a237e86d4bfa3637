import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import { WatchStream } from './watch-stream.js';

export interface ApiSettings {
  readonly url: string;
  /** PEM of the authority of an HTTPS server. */
  readonly ca?: string;
  /** Bearer token; none is sent when absent. */
  readonly token?: string;
  /** Client certificate and its key, PEM; none is shown when absent. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface RequestSettings {
  /** Sent as JSON, a string or Buffer as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole answer. */
export class Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;

  constructor(message: IncomingMessage, body: Buffer) {
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
    this.body = body;
  }

  get text(): string {
    return this.body.toString('utf8');
  }

  /** The body as JSON. Throws when it is none. */
  json<T = ApiObject>(): T {
    return JSON.parse(this.text) as T;
  }

  /** The values of the `Warning` headers; node joins them with a comma, each starts with its code. */
  get warnings(): string[] {
    const joined = [this.headers.warning ?? []].flat().join(', ');
    return [...joined.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
  }
}

/** The part of an object that tests read. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: objects of every kind come here; what is wrong fails the assertion
  readonly [field: string]: any;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Readonly<Record<string, object>>;
  readonly subresource?: string;
}

export interface ApiList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  readonly items: readonly ApiObject[];
}

export interface StatusObject {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status: 'Success' | 'Failure';
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly metadata: { readonly continue?: string };
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly group?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { reason?: string; message?: string; field?: string }[];
  };
}

/** A client that knows nothing but HTTP, with connections that are kept. */
export class Api {
  readonly settings: ApiSettings;
  readonly #url: URL;
  readonly #secure: boolean;
  readonly #agent: Agent | PlainAgent;

  constructor(settings: ApiSettings) {
    this.settings = settings;
    this.#url = new URL(settings.url);
    this.#secure = this.#url.protocol === 'https:';
    this.#agent = this.#secure
      ? new Agent({ keepAlive: true, ...(settings.ca !== undefined && { ca: settings.ca }), ...settings.certificate })
      : new PlainAgent({ keepAlive: true });
  }

  async request(method: string, path: string, settings: RequestSettings = {}): Promise<Answer> {
    const message = await this.open(method, path, settings);
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece as Buffer);
    return new Answer(message, Buffer.concat(pieces));
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.request('GET', path, headers ? { headers } : {});
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.request('POST', path, { body });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.request('PUT', path, { body });
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.request('DELETE', path, body === undefined ? {} : { body });
  }

  patch(path: string, type: 'merge' | 'json' | 'strategic-merge', body: unknown): Promise<Answer> {
    return this.request('PATCH', path, { body, headers: { 'content-type': `application/${type}-patch+json` } });
  }

  /** Server-side apply. @param query what follows the manager, as `&force=true` */
  apply(path: string, manager: string, body: unknown, query = ''): Promise<Answer> {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return this.request('PATCH', `${path}?fieldManager=${manager}${query}`, { body, headers });
  }

  /** Opens a watch; the answer may also be a refusal, which the stream then holds. */
  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<WatchStream> {
    return new WatchStream(await this.open('GET', path, { headers }));
  }

  /** Sends a request and resolves when the head of the answer is there. */
  open(method: string, path: string, { body, headers = {} }: RequestSettings): Promise<IncomingMessage> {
    const { token } = this.settings;
    const text = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const send = this.#secure ? secureRequest : plainRequest;
      const request = send({
        method,
        host: this.#url.hostname.replace(/^\[|\]$/g, ''),
        port: this.#url.port,
        path,
        agent: this.#agent,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      });
      request.once('response', resolve);
      request.once('error', reject);
      request.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
