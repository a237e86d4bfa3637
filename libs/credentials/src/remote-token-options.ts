import { SIGNING_ALGORITHMS } from '@orch/authentication';

/** Options of tokens that others verify: an OpenID Connect issuer, and a webhook. */
export const remoteTokenOptions = {
  'oidc-issuer-url': {
    type: 'string',
    help: 'OpenID Connect issuer whose ID tokens are believed; https, as it stands in their claim iss.',
  },
  'oidc-client-id': { type: 'string', help: 'Client for which its tokens must be; needed with --oidc-issuer-url.' },
  'oidc-ca-file': {
    type: 'string',
    help: "Authorities of the issuer's certificate. Default: the roots that Node ships.",
  },
  'oidc-username-claim': { type: 'string', default: 'sub', help: 'Claim that names the user.' },
  'oidc-username-prefix': {
    type: 'string',
    help: 'Put before user names; - for nothing. Default: the issuer and #, but nothing for the claim email.',
  },
  'oidc-groups-claim': { type: 'string', help: 'Claim whose value or values are groups.' },
  'oidc-groups-prefix': { type: 'string', help: 'Put before those groups.' },
  'oidc-signing-algs': {
    type: 'list',
    default: ['RS256'],
    choices: SIGNING_ALGORITHMS,
    help: 'Algorithms that tokens may be signed with.',
  },
  'oidc-required-claim': {
    type: 'list',
    default: [],
    whole: true,
    check: (pairs: readonly string[]) => void requiredClaims(pairs),
    help: 'A claim that tokens must have, and its value, as key=value; repeatable, commas belong to the value.',
  },
  'authentication-token-webhook-config-file': {
    type: 'string',
    help: 'File in the form of a kubeconfig: the webhook that is asked whom bearer tokens stand for, and what it is shown.',
  },
  'authentication-token-webhook-cache-ttl': {
    type: 'duration',
    default: 120_000,
    min: 0,
    help: 'How long what it says is kept; failures are not.',
  },
  'authentication-token-webhook-version': {
    type: 'string',
    default: 'v1beta1',
    help: 'Version of the TokenReview that it is sent and must answer with: v1beta1 or v1, also with the group before it.',
  },
  'redis-url': {
    type: 'string',
    help: 'Redis in which all processes share what webhooks have said and the server-wide limit on events, as redis://user:password@host:port/database, or rediss:// with TLS. Default: each asks and counts for itself.',
  },
  'redis-key-file': {
    type: 'string',
    help: 'File of a secret of at least 32 bytes, the same for all processes, by which what is in Redis is authenticated; needed with --redis-url.',
  },
  'redis-ca-file': {
    type: 'string',
    help: "Authorities of Redis' certificate. Default: the roots that Node ships.",
  },
} as const;

/** Parses pairs of `key=value` into a map. @throws RangeError for an invalid one, and for two values of one claim */
export function requiredClaims(pairs: readonly string[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new RangeError(`${JSON.stringify(pair)} is not of the form key=value`);
    const [claim, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if ((claims.get(claim) ?? value) !== value)
      throw new RangeError(`${JSON.stringify(claim)} is required to have two values`);
    claims.set(claim, value);
  }
  return claims;
}
