import { readFile } from 'node:fs/promises';
import { authoritiesOf, createAuthenticator, selfSignedPair } from '@orch/authentication';
import type { Client } from '@orch/client';
import type { Names } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { accessReviews } from './access-reviews.js';
import { ComponentServer } from './component-server.js';
import type { ComponentServerOptions } from './options.js';
import { type ComponentPage, servedPages } from './served-pages.js';
import { TokenReviews } from './token-reviews.js';

/** Dependencies of {@link componentServer}. */
interface OpenSettings {
  /** Asks the API who callers are. */
  readonly authentication: Pick<Client, 'create'>;
  /** Asks the API what they may. */
  readonly authorization: Pick<Client, 'create'>;
  /** Names of the installation. */
  readonly names: Names;
  /** Pages by path. */
  readonly pages: Readonly<Record<string, ComponentPage>>;
  /** Called with failures that callers are not told. */
  readonly onError: (error: unknown) => void;
}

/** Milliseconds between looks at the files of the certificate. */
const RENEWAL_MS = 60_000;

/** Makes the server of a component by its options; undefined where the port is 0. @throws Error for files that cannot be used */
export async function componentServer(
  options: ComponentServerOptions,
  { authentication, authorization, names, pages, onError }: OpenSettings,
): Promise<ComponentServer | undefined> {
  if (options.securePort === 0) return undefined;
  const bundle = options.clientCaFile === undefined ? undefined : await readFile(options.clientCaFile, 'utf8');
  const trust =
    bundle === undefined ? undefined : { clients: authoritiesOf(bundle), proxies: new Map(), proxyNames: [] };
  const cacheMs = options.authenticationTokenWebhookCacheTtl;
  const reviews = new TokenReviews({ client: authentication, names, cacheMs });
  return new ComponentServer({
    ...{ address: options.bindAddress, port: options.securePort, handler: servedPages(pages), onError },
    ...(await pairOf(options)),
    ...(bundle !== undefined && { clientAuthorities: bundle }),
    authenticator: createAuthenticator({
      ...(trust && { trust: () => trust }),
      tokenVerifiers: [reviews],
      anonymous: true,
    }),
    authorizer: accessReviews({
      ...{ client: authorization, names, allowedMs: options.authorizationWebhookCacheAuthorizedTtl },
      otherMs: options.authorizationWebhookCacheUnauthorizedTtl,
    }),
    allowedPaths: options.authorizationAlwaysAllowPaths,
    strangerMs: options.unauthenticatedConnectionTimeout,
  });
}

async function pairOf({ tlsCertFile, tlsPrivateKeyFile, bindAddress }: ComponentServerOptions) {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined)
    return { pair: await selfSignedPair(bindAddress, systemClock.wall()) };
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined)
    throw new Error('--tls-cert-file and --tls-private-key-file belong together');
  const read = async () => ({
    cert: await readFile(tlsCertFile, 'utf8'),
    key: await readFile(tlsPrivateKeyFile, 'utf8'),
  });
  return { pair: await read(), renewal: { read, everyMs: RENEWAL_MS } };
}
