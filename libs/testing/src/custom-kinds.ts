import { STANDARD_SETTINGS } from '@orch/kinds';
import type { JsonObject } from '@orch/machinery';
import { type ConversionCalls, customEndpoints, type Endpoint } from '@orch/resources';
import { SchemaPool } from '@orch/schema';
import { WebhookError } from '@orch/webhooks';
import { afterEach, beforeEach } from 'vitest';
import { type TestApi, testApi } from './test-api.js';
import { listenerOf, openServer, type TestServer } from './test-server.js';

/** A version of a definition that is served and stored, unless `more` says otherwise. */
export const version = (name: string, openAPIV3Schema: object, more: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema },
  ...more,
});

/** A definition whose names are accepted. @param more in place of what `spec` has */
export function definitionOf(versions: readonly object[], more: object = {}): JsonObject {
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] };
  return {
    metadata: { name: 'widgets.example.test' },
    spec: { group: 'example.test', scope: 'Namespaced', names, versions: [...versions], ...more },
    status: { acceptedNames: names },
  } as JsonObject;
}

/** Reaches no webhook. */
const UNREACHED: ConversionCalls = {
  clients: { post: () => Promise.reject(new WebhookError('there is no webhook')) },
  limits: {
    timeoutMs: 1000,
    maxObjects: 1000,
    maxBytes: 1 << 20,
    maxHeldBytes: 32 << 20,
    maxValues: 70_000,
    maxObjectBytes: 6 << 20,
  },
};

/** Serves definitions besides what is declared, and no other ones; endpoints of those that were served before stay as they are. */
export const serveCustom = (api: TestApi, ...definitions: readonly JsonObject[]): Promise<readonly Endpoint[]> =>
  serveConverted(api, UNREACHED, ...definitions);

/** The same, where webhooks are reached. */
export async function serveConverted(
  api: TestApi,
  conversions: ConversionCalls,
  ...definitions: readonly JsonObject[]
): Promise<readonly Endpoint[]> {
  const made: Endpoint[] = [];
  for (const definition of definitions) {
    const [type = 0] = await api.store.registerTypes([{ group: 'example.test', resource: 'widgets' }]);
    const settings = { ...STANDARD_SETTINGS, pool: new SchemaPool() };
    made.push(...customEndpoints(definition, { scheme: api.deps.scheme, settings, type, conversions }).endpoints);
  }
  api.served.replace([...api.endpoints, ...made]);
  return made;
}

/** An answer with its JSON read. */
export interface Said {
  readonly status: number;
  readonly warnings: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: answers of all kinds are looked into
  readonly body: any;
}

/** @param body JSON of it is sent, or itself where it is a text. @param accept default anything */
export type Asker = (method: string, path: string, body?: unknown, type?: string, accept?: string) => Promise<Said>;

export const askOf =
  (server: TestServer): Asker =>
  async (method, path, body, type = 'application/json', accept = '') => {
    const answer = await server.ask(path, {
      method,
      headers: { 'content-type': type, ...(accept && { accept }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = answer.body.toString();
    const { warning } = answer.headers;
    const warnings = Array.isArray(warning) ? warning.join() : (warning as string | undefined);
    return { status: answer.status, warnings, body: text.startsWith('{') ? JSON.parse(text) : text };
  };

/** A server for each test of a file, as it stands now. */
export interface CustomServer {
  readonly api: TestApi;
  readonly ask: Asker;
  /** The answer as it came. */
  readonly raw: TestServer['ask'];
  /** {@link serveCustom} on it. */
  serve(...definitions: readonly JsonObject[]): Promise<readonly Endpoint[]>;
}

/** A server that can be told to serve custom kinds, opened before each test and closed after it. */
export function customServer(): CustomServer {
  let api: TestApi;
  let server: TestServer;
  beforeEach(async () => {
    api = await testApi({}, 'kubernetes');
    server = await openServer(listenerOf(api));
  });
  afterEach(async () => {
    await server.close();
    api.close();
  });
  return {
    get api() {
      return api;
    },
    ask: (...asked) => askOf(server)(...asked),
    raw: (...asked) => server.ask(...asked),
    serve: (...definitions) => serveCustom(api, ...definitions),
  };
}
