import { isAbsolute } from 'node:path';
import { NoAnswer, type ReviewCall, type ReviewClient } from '@orch/admission';
import { ApiError, UsersByHost } from '@orch/client';
import { parseJson, stringifyJson } from '@orch/codec';
import type { JsonValue, Names } from '@orch/machinery';
import { turnFor } from '@orch/runtime/work';
import { AnswerTooLarge, WebhookClients, WebhookError, type WebhookSettings } from '@orch/webhooks';

/** Settings of the calls of admission webhooks. */
export interface ReviewClientSettings extends Omit<WebhookSettings, 'userOf'> {
  /** Most JSON values in an answer. */
  readonly maxValues: number;
}

/** Calls the admission webhooks of one plugin, with the credentials in its configuration. */
export class ReviewClients implements ReviewClient {
  readonly #file: string | undefined;
  #users: UsersByHost | undefined;
  #clients: WebhookClients | undefined;

  /** @param configuration a `WebhookAdmissionConfiguration`; undefined for none. @throws Error for an invalid one */
  constructor(configuration: unknown) {
    this.#file = kubeConfigFileOf(configuration);
  }

  /** Reads the credentials for webhooks. @throws KubeconfigError for a file that cannot be used */
  async readUsers(names: Names): Promise<void> {
    if (this.#file !== undefined) this.#users = await UsersByHost.read(this.#file, names);
  }

  /** Starts the client, before the first call. */
  start(settings: ReviewClientSettings): void {
    const users = this.#users;
    this.#maxValues = settings.maxValues;
    this.#clients = new WebhookClients({
      ...settings,
      ...(users && { userOf: (host: string, port: number) => users.userFor(host, port) }),
    });
  }

  #maxValues = 0;

  async ask({ config, review, timeoutMs }: ReviewCall): Promise<JsonValue> {
    if (!this.#clients) throw new NoAnswer('no webhooks are called yet');
    const body = Buffer.from(stringifyJson(review));
    await turnFor(body.length);
    const answer = await this.#post(config, body, timeoutMs);
    await turnFor(answer.length);
    try {
      return parseJson(answer, { maxValues: this.#maxValues }).value;
    } catch (error) {
      throw new NoAnswer(error instanceof Error ? error.message : String(error), 200);
    }
  }

  /** Aborts the calls in flight. */
  async close(): Promise<void> {
    await this.#clients?.close();
  }

  async #post(config: ReviewCall['config'], body: Buffer, timeoutMs: number): Promise<Buffer> {
    try {
      return await (this.#clients as WebhookClients).post(config, { body, timeoutMs, sendsTimeout: true });
    } catch (error) {
      if (error instanceof AnswerTooLarge) throw new NoAnswer(error.message, 200);
      if (error instanceof WebhookError && error.cause instanceof ApiError)
        throw new NoAnswer(refusalText(error.cause), error.cause.code);
      throw new NoAnswer(error instanceof Error ? error.message : String(error));
    }
  }
}

const KIND = 'WebhookAdmissionConfiguration';
const OLD_KIND = 'WebhookAdmission';
const API_VERSION = /^apiserver\.(config\.)?[a-z0-9.-]+\/v1(alpha1)?$/;

/**
 * Returns the file of credentials that a configuration names (k8s.io/apiserver, pkg/admission/plugin/webhook/config).
 * @throws Error for an invalid configuration
 */
function kubeConfigFileOf(configuration: unknown): string | undefined {
  if (configuration === undefined || configuration === null) return undefined;
  if (typeof configuration !== 'object' || Array.isArray(configuration)) throw new Error('not an object');
  const { apiVersion, kind, kubeConfigFile, ...others } = configuration as Record<string, unknown>;
  if (kind !== KIND && kind !== OLD_KIND) throw new Error(`unexpected type: ${String(kind)}, expected ${KIND}`);
  if (typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion))
    throw new Error(`unknown apiVersion: ${String(apiVersion)}`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`unknown field ${JSON.stringify(unknown)}`);
  if (typeof kubeConfigFile === 'string' && isAbsolute(kubeConfigFile)) return kubeConfigFile;
  throw new Error(
    `kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile ?? '')}: must be an absolute file path`,
  );
}

/** Status codes of answers whose text is included in the error. */
const TOLD: ReadonlySet<number> = new Set([403, 406, 415]);

/**
 * Messages of the reference's clients for answers with a status other than 2xx, by its code (k8s.io/apimachinery,
 * pkg/api/errors).
 */
const TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

function refusalText({ code, status, message }: ApiError): string {
  const isOwn = !message.startsWith(`the server answered ${code}`);
  if (isOwn && status.kind === 'Status') return message;
  const reason = message.slice(`the server answered ${code}: `.length) || 'unknown';
  if (TOLD.has(code) && reason !== 'unknown') return reason;
  const known = TEXTS[code];
  if (known !== undefined) return known;
  if (code >= 500)
    return `an error on the server (${JSON.stringify(reason)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
