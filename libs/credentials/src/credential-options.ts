import { validateHeaderName } from 'node:http';
import type { OptionValues } from '@orch/runtime';
import { remoteTokenOptions } from './remote-token-options.js';
import type { serviceAccountOptions } from './service-account-options.js';
import type { signingOptions } from './signing-options.js';
import { checkSniPairs } from './sni-pairs.js';
import { CIPHER_SUITES, TLS_VERSIONS, type TlsVersion } from './tls-settings.js';

/** Checks that each is a valid header name. @throws RangeError */
function headerNames(names: readonly string[]): void {
  for (const name of names) {
    try {
      validateHeaderName(name.trim());
    } catch {
      throw new RangeError(`no header is called ${JSON.stringify(name)}`);
    }
  }
}

/** Options of the certificates that a server presents and the authorities that it trusts. */
export const credentialOptions = {
  'cert-dir': {
    type: 'string',
    default: 'pki',
    help: 'Folder of the certificate authority, certificates and keys; what no other option names is made there.',
  },
  'tls-cert-file': {
    type: 'string',
    help: 'Certificate that clients are shown, those that signed it behind it; read again when it changes. Default: one made in --cert-dir.',
  },
  'tls-private-key-file': { type: 'string', help: 'Private key of --tls-cert-file.' },
  'tls-sni-cert-key': {
    type: 'list',
    whole: true,
    default: [],
    check: checkSniPairs,
    help: 'Certificate and key, as certificate,key or certificate,key:name,*.name, that clients are shown in the place of --tls-cert-file which ask for one of these names, or without any of those that the certificate is for; may be repeated, the first that has the name counts, and one with * where no other has it. Read again when they change.',
  },
  'tls-ca-file': {
    type: 'string',
    help: 'Authorities of --tls-cert-file and of the certificates of gateways. Default: the one in --cert-dir, beside --tls-cert-file those of the system.',
  },
  'tls-min-version': {
    type: 'string',
    choices: Object.keys(TLS_VERSIONS) as TlsVersion[],
    default: 'VersionTLS12',
    help: 'Oldest version of TLS that clients may speak.',
  },
  'tls-cipher-suites': {
    type: 'list',
    default: [],
    choices: Object.keys(CIPHER_SUITES),
    help: "Cipher suites that clients may choose from. Default: Node's.",
  },
  'client-ca-file': {
    type: 'list',
    default: [],
    help: 'Certificate authorities whose client certificates are believed, beside the one in --cert-dir unless --tls-cert-file stands in for it; read again when they change.',
  },
  'requestheader-client-ca-file': {
    type: 'string',
    help: 'Authorities of servers that may say in headers for whom they ask. Default: one made in --cert-dir.',
  },
  'requestheader-allowed-names': {
    type: 'list',
    default: [],
    help: 'Common names that the certificates of such servers may have. Default: any but gateway-client and aggregator-client, which are for other directions.',
  },
  'requestheader-username-headers': {
    type: 'list',
    default: ['X-Remote-User'],
    keepsBlanks: true,
    check: headerNames,
    help: 'Headers in which such servers may name the user; the first that has a value counts.',
  },
  'requestheader-group-headers': {
    type: 'list',
    default: ['X-Remote-Group'],
    keepsBlanks: true,
    check: headerNames,
    help: 'Headers in which they may name groups, each value one.',
  },
  'requestheader-extra-headers-prefix': {
    type: 'list',
    default: ['X-Remote-Extra-'],
    keepsBlanks: true,
    check: headerNames,
    help: 'What the names of headers with further values about the user begin with; what follows is the key, percent-encoded.',
  },
  'proxy-client-cert-file': {
    type: 'string',
    help: 'Client certificate with which requests are passed on to the servers of APIServices, and that webhooks are shown which ask for one. Named aggregator-client no server of the installation believes what its holder says. Default: one made in --cert-dir, which webhooks are not shown.',
  },
  'proxy-client-key-file': { type: 'string', help: 'Private key of --proxy-client-cert-file.' },
  'gateway-client-cert-file': {
    type: 'string',
    help: 'Client certificate with which an api-server hands watches to gateways: of an authority of --requestheader-client-ca-file and named gateway-client, by which gateways believe it, and of watches alone. Default: one made in --cert-dir, beside --requestheader-client-ca-file that of --proxy-client-cert-file.',
  },
  'gateway-client-key-file': { type: 'string', help: 'Private key of --gateway-client-cert-file.' },
  'kubelet-client-certificate': {
    type: 'string',
    help: 'Client certificate that the agents of nodes are shown, for logs, exec, port-forward and proxied requests; read again when it changes.',
  },
  'kubelet-client-key': { type: 'string', help: 'Private key of --kubelet-client-certificate.' },
  'kubelet-certificate-authority': {
    type: 'string',
    help: 'Authorities of the certificates of agents; read again when they change. Without it these are not verified.',
  },
  'token-auth-file': { type: 'string', help: 'Static tokens as CSV: token, user, uid, "group,group".' },
  'anonymous-auth': {
    type: 'bool',
    default: true,
    help: 'Let requests without credentials in as system:anonymous, who may see health and version unless it is bound to more.',
  },
  ...remoteTokenOptions,
} as const;

/** Values of the options of this package, and of options of others that concern credentials as well. */
export type CredentialOptions = OptionValues<
  typeof credentialOptions & typeof serviceAccountOptions & typeof signingOptions
> & {
  /** Further host names and addresses that the generated serving certificate is valid for. */
  readonly advertiseHost: readonly string[];
  /** Authorization modes in order. With `AlwaysAllow` among them anonymous requests are refused. */
  readonly authorizationMode: readonly string[];
  /** Address that the server listens on; the generated serving certificate is valid for it. */
  readonly bindAddress: string;
  /** File to which a kubeconfig of an administrator is written; undefined for none. */
  readonly kubeconfigOut: string | undefined;
  /** CIDRs of cluster IPs; the generated serving certificate is valid for the first address of each. */
  readonly serviceClusterIpRange: string;
};
