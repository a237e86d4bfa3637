/** Throws RangeError, as options are checked. */
function checkIssuers(issuers: readonly string[]): void {
  for (const issuer of issuers) {
    if (issuer === '') throw new RangeError('an issuer is empty');
    if (issuer.includes(':') && !URL.canParse(issuer))
      throw new RangeError(`${JSON.stringify(issuer)} has a colon in it and is no URL`);
  }
  if (new Set(issuers).size < issuers.length) throw new RangeError('an issuer is named twice');
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
    help: 'As whom tokens of service accounts are issued, a URL of scheme https if others are to find the keys; those of further ones are accepted too. Default: https://<Service of the API>.default.svc.cluster.local.',
  },
  'service-account-signing-key-file': {
    type: 'string',
    help: 'Private key (RSA or ECDSA, PEM) that they are signed with. Default: one made in --cert-dir, if neither --service-account-key-file nor --tls-private-key-file is given; beside those, none are issued.',
  },
  'service-account-key-file': {
    type: 'list',
    default: [],
    help: 'Keys (RSA or ECDSA, public or private, PEM, several in a file) that their signatures are judged by, beside the one that signs. Default: that of --tls-private-key-file.',
  },
  'service-account-jwks-uri': {
    type: 'string',
    check: checkKeysUri,
    help: 'Where the discovery document of the issuer says that its keys are. Default: /openid/v1/jwks of this server.',
  },
  'service-account-max-token-expiration': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'Longest time that a token may be asked for, at least 1h; 0 is no bound.',
  },
  'service-account-extend-token-expiration': {
    type: 'bool',
    default: true,
    help: 'Tokens that pods ask for 3607 seconds, as those do that Kubernetes injects, are good for a year; use after those seconds is noted in audit and metrics.',
  },
  'service-account-lookup': {
    type: 'bool',
    default: true,
    help: 'Tokens in Secrets are good only while their Secret and account are there. Others always go with what they are bound to.',
  },
  'api-audiences': {
    type: 'list',
    default: [],
    help: 'What this API is called in tokens: one must be for one of these. Default: the first --service-account-issuer.',
  },
  'enable-bootstrap-token-auth': {
    type: 'bool',
    default: false,
    help: 'Let in who has a bootstrap token, which lie in Secrets of kube-system.',
  },
} as const;
