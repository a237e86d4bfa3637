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
  /** Asks the API. */
  readonly client: Pick<Client, 'create'>;
  /** Names of the installation. */
  readonly names: Names;
  /** Pages by path. */
  readonly pages: Readonly<Record<string, ComponentPage>>;
  /** Called with failures that callers are not told. */
  readonly onError: (error: unknown) => void;
}

/** Makes the server of a component by its options; undefined where the port is 0. @throws Error for files that cannot be used */
export async function componentServer(
  options: ComponentServerOptions,
  { client, names, pages, onError }: OpenSettings,
): Promise<ComponentServer | undefined> {
  if (options.securePort === 0) return undefined;
  const bundle = options.clientCaFile === undefined ? undefined : await readFile(options.clientCaFile, 'utf8');
  const trust =
    bundle === undefined ? undefined : { clients: authoritiesOf(bundle), proxies: new Map(), proxyNames: [] };
  return new ComponentServer({
    ...{ address: options.bindAddress, port: options.securePort, handler: servedPages(pages), onError },
    pair: await pairOf(options),
    ...(bundle !== undefined && { clientAuthorities: bundle }),
    authenticator: createAuthenticator({
      ...(trust && { trust: () => trust }),
      tokenVerifiers: [new TokenReviews({ client, names, cacheMs: options.authenticationTokenWebhookCacheTtl })],
      anonymous: true,
    }),
    authorizer: accessReviews({
      ...{ client, names, allowedMs: options.authorizationWebhookCacheAuthorizedTtl },
      otherMs: options.authorizationWebhookCacheUnauthorizedTtl,
    }),
    allowedPaths: options.authorizationAlwaysAllowPaths,
  });
}

async function pairOf({ tlsCertFile, tlsPrivateKeyFile, bindAddress }: ComponentServerOptions) {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined)
    return selfSignedPair(bindAddress, systemClock.wall());
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined)
    throw new Error('--tls-cert-file and --tls-private-key-file belong together');
  return { cert: await readFile(tlsCertFile, 'utf8'), key: await readFile(tlsPrivateKeyFile, 'utf8') };
}
