import { SIGNING_ALGORITHMS } from '@orch/authentication';

/** Options of tokens that others verify: an OpenID Connect issuer, and a webhook. */
export const remoteTokenOptions = {
  'oidc-issuer-url': {
    type: 'string',
    help: 'URL of the OpenID Connect issuer whose ID tokens are accepted. It must be https and equal the claim iss.',
  },
  'oidc-client-id': {
    type: 'string',
    help: 'Client ID that ID tokens must be issued for. Required with --oidc-issuer-url.',
  },
  'oidc-ca-file': {
    type: 'string',
    help: "Certificate authorities for the issuer's certificate. Default: the roots that Node.js ships.",
  },
  'oidc-username-claim': { type: 'string', default: 'sub', help: 'Claim with the name of the user.' },
  'oidc-username-prefix': {
    type: 'string',
    help: 'Prefix that is added to user names; - means none. Default: the issuer and #, but none for the claim email.',
  },
  'oidc-groups-claim': { type: 'string', help: 'Claim with the groups of a user, one value or a list.' },
  'oidc-groups-prefix': { type: 'string', help: 'Prefix that is added to these groups.' },
  'oidc-signing-algs': {
    type: 'list',
    default: ['RS256'],
    choices: SIGNING_ALGORITHMS,
    help: 'Signature algorithms that are accepted in tokens.',
  },
  'oidc-required-claim': {
    type: 'list',
    default: [],
    whole: true,
    check: (pairs: readonly string[]) => void requiredClaims(pairs),
    help: 'Claim that tokens must have with this value, as key=value. The option may be repeated; commas are part of the value.',
  },
  'authentication-token-webhook-config-file': {
    type: 'string',
    help: 'Kubeconfig of the webhook that authenticates bearer tokens, with the credentials for it.',
  },
  'authentication-token-webhook-cache-ttl': {
    type: 'duration',
    default: 120_000,
    min: 0,
    help: 'How long verdicts of the token webhook are cached. Failures of the webhook are not cached.',
  },
  'authentication-token-webhook-version': {
    type: 'string',
    default: 'v1beta1',
    help: 'Version of the TokenReview that the webhook is sent and must answer with: v1beta1 or v1, optionally with the group before it.',
  },
  'redis-url': {
    type: 'string',
    help: 'Redis in which all processes share verdicts of webhooks and the server-wide limit on events, as redis://user:password@host:port/database, or rediss:// with TLS. Default: each process has its own.',
  },
  'redis-key-file': {
    type: 'string',
    help: 'File with a secret of at least 32 bytes, the same for all processes, which authenticates the contents of Redis. Required with --redis-url.',
  },
  'redis-ca-file': {
    type: 'string',
    help: 'Certificate authorities for the certificate of Redis. Default: the roots that Node.js ships.',
  },
} as const;

/** Parses pairs of `key=value` into a map. @throws RangeError for an invalid one, and for two values of one claim */
export function requiredClaims(pairs: readonly string[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new RangeError(`${JSON.stringify(pair)} is not of the form key=value`);
    const [claim, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if ((claims.get(claim) ?? value) !== value) throw new RangeError(`${JSON.stringify(claim)} is given two values`);
    claims.set(claim, value);
  }
  return claims;
}
