/** Throws RangeError, as options are checked. */
function checkIssuers(issuers: readonly string[]): void {
  for (const issuer of issuers) {
    if (issuer === '') throw new RangeError('an issuer is empty');
    if (issuer.includes(':') && !URL.canParse(issuer))
      throw new RangeError(`${JSON.stringify(issuer)} contains a colon but is not a URL`);
  }
  if (new Set(issuers).size < issuers.length) throw new RangeError('an issuer is given twice');
}

/** Throws RangeError. */
function checkKeysUri(uri: string): void {
  if (!URL.canParse(uri) || new URL(uri).protocol !== 'https:')
    throw new RangeError('it must be a URL of scheme https');
}

/** Options of the tokens of service accounts, and of those with which nodes join. */
export const serviceAccountOptions = {
  'service-account-issuer': {
    type: 'list',
    default: [],
    check: checkIssuers,
    help: 'Issuer of service account tokens: a URL, with the scheme https if others are to discover the keys. Tokens of further issuers that are listed are accepted as well. Default: https://<Service of the API>.default.svc.cluster.local.',
  },
  'service-account-signing-key-file': {
    type: 'string',
    help: 'Private key (RSA or ECDSA, PEM) that signs service account tokens. Default: one created in --cert-dir, if neither --service-account-key-file nor --tls-private-key-file is given; if one of them is given, no tokens are issued.',
  },
  'service-account-key-file': {
    type: 'list',
    default: [],
    help: 'Keys that verify service account tokens, in addition to the signing key (RSA or ECDSA, public or private, PEM, several in a file). Default: the key of --tls-private-key-file.',
  },
  'service-account-jwks-uri': {
    type: 'string',
    check: checkKeysUri,
    help: 'URL of the keys in the discovery document of the issuer. Default: /openid/v1/jwks of this server.',
  },
  'service-account-max-token-expiration': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'Maximum lifetime that can be requested for a token, at least 1h. 0 means no limit.',
  },
  'service-account-extend-token-expiration': {
    type: 'bool',
    default: true,
    help: "Extend tokens that pods request for 3607 seconds, as Kubernetes' injected volumes do, to one year. Use after the 3607 seconds is recorded in the audit log and in metrics.",
  },
  'service-account-lookup': {
    type: 'bool',
    default: true,
    help: 'Accept tokens from Secrets only while the Secret and the service account exist. Other tokens always end with the object that they are bound to.',
  },
  'api-audiences': {
    type: 'list',
    default: [],
    help: 'Audiences of this API. A token must be issued for at least one of them. Default: the first --service-account-issuer.',
  },
  'enable-bootstrap-token-auth': {
    type: 'bool',
    default: false,
    help: 'Accept bootstrap tokens, which are stored in Secrets of kube-system.',
  },
} as const;
