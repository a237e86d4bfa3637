import { readFile } from 'node:fs/promises';
import { audienceAgnostic, OidcVerifier, type TokenVerifier } from '@orch/authentication';
import { DocumentReader } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import { type SharedVerdicts, VerdictCache, type VerdictObserver } from '@orch/webhooks';
import { ConfiguredWebhook } from './configured-webhook.js';
import type { CredentialOptions } from './credential-options.js';
import { requiredClaims } from './remote-token-options.js';
import { readVerdict, TokenWebhook } from './token-webhook.js';

/** Dependencies of {@link RemoteTokens}. */
export interface RemoteTokensSettings {
  readonly options: CredentialOptions;
  readonly names: Names;
  /** The API's own audiences. */
  readonly audiences: readonly string[];
  readonly logger: Logger;
  /** Cache of verdicts that is shared with other processes. */
  readonly shared?: SharedVerdicts | undefined;
  readonly observer?: VerdictObserver;
  /** Called after each call of the webhook. */
  readonly onAsked?: (failed: boolean) => void;
}

/** Verifiers of tokens that are issued outside the installation. */
export class RemoteTokens {
  /** In the order in which they are asked: for an issuer's tokens the webhook need not be called. */
  readonly verifiers: readonly TokenVerifier[];

  private constructor(private readonly parts: readonly Part[]) {
    this.verifiers = parts.map(({ verifier }) => verifier);
  }

  /** @throws Error for options that cannot be used, or a file that cannot be read. An issuer need not be there yet. */
  static async open(settings: RemoteTokensSettings): Promise<RemoteTokens> {
    const parts = [await openIssuer(settings), await openWebhook(settings)];
    return new RemoteTokens(parts.filter((part) => part !== undefined));
  }

  /** Aborts calls in progress. */
  async close(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.close()));
  }
}

interface Part {
  readonly verifier: TokenVerifier;
  close(): Promise<void>;
}

async function openIssuer({ options, audiences, logger }: RemoteTokensSettings): Promise<Part | undefined> {
  const { oidcIssuerUrl: issuerUrl, oidcClientId: clientId, oidcCaFile } = options;
  if (!issuerUrl && !clientId) return undefined;
  if (!issuerUrl || !clientId) throw new RangeError('oidc-issuer-url and oidc-client-id should be specified together');
  const ca = oidcCaFile === undefined ? undefined : await readFile(oidcCaFile, 'utf8');
  const documents = new DocumentReader({ userAgent: 'orch-apiserver', ...(ca !== undefined && { ca }) });
  const issuer = new OidcVerifier(
    {
      issuerUrl,
      clientId,
      usernameClaim: options.oidcUsernameClaim,
      usernamePrefix: options.oidcUsernamePrefix,
      groupsClaim: options.oidcGroupsClaim,
      groupsPrefix: options.oidcGroupsPrefix,
      requiredClaims: requiredClaims(options.oidcRequiredClaim),
      signingAlgorithms: options.oidcSigningAlgs,
    },
    {
      read: (url, token) => documents.read(url, token),
      onError: (error) => logger.error('OpenID Connect authenticator', error),
    },
  );
  void issuer.start();
  return {
    verifier: audienceAgnostic(issuer, audiences),
    async close() {
      issuer.close();
      await documents.close();
    },
  };
}

async function openWebhook(settings: RemoteTokensSettings): Promise<Part | undefined> {
  const { options, names, audiences, logger, shared, observer, onAsked = () => undefined } = settings;
  const file = options.authenticationTokenWebhookConfigFile;
  if (file === undefined) return undefined;
  const apiVersion = reviewVersion(options.authenticationTokenWebhookVersion, names);
  const webhook = await ConfiguredWebhook.open(file, names, logger, onAsked);
  const ttl = options.authenticationTokenWebhookCacheTtl;
  const cache = new VerdictCache({
    // An error may be temporary, so it is not cached.
    keptFor: ({ error }) => (error === undefined ? ttl : 0),
    read: readVerdict,
    // Anyone can make up tokens that are not valid: their verdicts would fill the shared cache.
    tells: ({ user }) => user !== undefined,
    ...(shared && { shared }),
    ...(observer && { observer }),
  });
  const verifier = new TokenWebhook({ webhook, apiVersion, cache, audiences });
  return { verifier, close: () => webhook.close() };
}

/** Returns `GROUP/VERSION` of the reviews that an option selects. @throws RangeError for an unknown version */
function reviewVersion(asked: string, names: Names): string {
  const group = names.group('authentication.orch.io');
  const version = asked.startsWith(`${group}/`) ? asked.slice(group.length + 1) : asked;
  if (version !== 'v1' && version !== 'v1beta1')
    throw new RangeError(
      `unsupported authentication webhook version ${JSON.stringify(asked)}, supported versions are "v1", "v1beta1"`,
    );
  return `${group}/${version}`;
}
