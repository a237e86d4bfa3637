import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import {
  type AuthenticationRequest,
  type Authenticator,
  authoritiesOf,
  createAuthenticator,
  type UserInfo,
} from '@orch/authentication';
import { type Authorizer, alwaysAllow, type RequestAttributes } from '@orch/authorization';
import { accessReviews, TokenReviews } from '@orch/component-server';
import { StatusError } from '@orch/machinery';
import type { AgentServerSettings } from './agent-server-settings.js';

/** Decides who may use the port of an agent. */
export interface AgentAccess {
  /** Authenticates callers. */
  readonly authenticator: Authenticator;
  /** Decides what they may do. */
  readonly authorizer: Authorizer;
  /** Bundle of the authorities of client certificates, PEM; absent where they are not looked at. */
  readonly clientAuthorities?: string;
}

/** Reads what the options say. @throws Error for files that cannot be used, and for reviews without an API */
export async function openAccess(settings: AgentServerSettings): Promise<AgentAccess> {
  const { options } = settings;
  const bundle = options.clientCaFile === undefined ? undefined : await readFile(options.clientCaFile, 'utf8');
  const trust =
    bundle === undefined ? undefined : { clients: authoritiesOf(bundle), proxies: new Map(), proxyNames: [] };
  const authenticator = createAuthenticator({
    ...(trust && { trust: () => trust }),
    tokenVerifiers: options.authenticationTokenWebhook ? [tokenReviews(settings)] : [],
    anonymous: options.anonymousAuth,
  });
  return {
    authenticator: options.authenticationTokenWebhook ? authenticator : withoutTokens(authenticator),
    authorizer: options.authorizationMode === 'Webhook' ? reviews(settings) : alwaysAllow,
    ...(bundle !== undefined && { clientAuthorities: bundle }),
  };
}

function tokenReviews(settings: AgentServerSettings): TokenReviews {
  const { options, names } = settings;
  const client = clientOf(settings, '--authentication-token-webhook');
  return new TokenReviews({ client, names, cacheMs: options.authenticationTokenWebhookCacheTtl });
}

function reviews(settings: AgentServerSettings): Authorizer {
  const { options, names } = settings;
  return accessReviews({
    ...{ client: clientOf(settings, '--authorization-mode=Webhook'), names },
    allowedMs: options.authorizationWebhookCacheAuthorizedTtl,
    otherMs: options.authorizationWebhookCacheUnauthorizedTtl,
  });
}

function clientOf({ client }: AgentServerSettings, option: string): NonNullable<AgentServerSettings['client']> {
  if (!client) throw new Error(`no client provided, cannot use ${option}`);
  return client;
}

/** Without reviews a bearer token is nobody's: it is not looked at. */
const withoutTokens = (authenticator: Authenticator): Authenticator => ({
  authenticate({ socket, headers, rawHeaders }: AuthenticationRequest) {
    const { authorization: _token, ...others } = headers;
    return authenticator.authenticate({ socket, headers: others, ...(rawHeaders && { rawHeaders }) });
  },
});

const VERBS: Readonly<Record<string, string>> = {
  ...{ POST: 'create', GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
};

/** Returns what a request to an agent asks for: a subresource of its node. */
export function attributesOf({ method = '' }: IncomingMessage, path: string, nodeName: string): RequestAttributes {
  const resource = { group: '', version: 'v1', resource: 'nodes', namespace: '', name: nodeName };
  return { ...resource, subresource: subresourceOf(path), verb: VERBS[method] ?? '', isResourceRequest: true, path };
}

function subresourceOf(path: string): string {
  const [, root] = path.split('/');
  if (root === 'stats' || root === 'metrics') return root;
  return root === 'logs' ? 'log' : 'proxy';
}

/** The refusal of a request, in the words that clients of agents know. */
export function refusalOf(user: UserInfo, { verb, resource, subresource }: RequestAttributes): StatusError {
  const what = `verb=${verb}, resource=${resource}, subresource=${subresource}`;
  return new StatusError('Forbidden', `Forbidden (user=${user.name}, ${what})`);
}
