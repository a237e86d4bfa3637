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
      throw new RangeError(`${JSON.stringify(name)} is not a header name`);
    }
  }
}

/** Options of the certificates that a server presents and the authorities that it trusts. */
export const credentialOptions = {
  'cert-dir': {
    type: 'string',
    default: 'pki',
    help: 'Folder of the certificate authority, certificates and keys. Those that no other option names are created there.',
  },
  'tls-cert-file': {
    type: 'string',
    help: 'Serving certificate, followed by its intermediate certificates. It is read again when it changes. Default: one created in --cert-dir.',
  },
  'tls-private-key-file': { type: 'string', help: 'Private key of --tls-cert-file.' },
  'tls-sni-cert-key': {
    type: 'list',
    whole: true,
    default: [],
    check: checkSniPairs,
    help: 'Certificate and key for certain server names, used instead of --tls-cert-file: certificate,key:name,*.name, or certificate,key for the names in the certificate. The option may be repeated; the first one that has the name is used, a wildcard only if no other one has the name. The files are read again when they change.',
  },
  'tls-ca-file': {
    type: 'string',
    help: "Certificate authorities for --tls-cert-file and for the certificates of gateways. Default: the one in --cert-dir, or the system's if --tls-cert-file is given.",
  },
  'tls-min-version': {
    type: 'string',
    choices: Object.keys(TLS_VERSIONS) as TlsVersion[],
    default: 'VersionTLS12',
    help: 'Minimum TLS version that the server accepts.',
  },
  'tls-cipher-suites': {
    type: 'list',
    default: [],
    choices: Object.keys(CIPHER_SUITES),
    help: 'Cipher suites that the server accepts. Default: those of Node.js.',
  },
  'client-ca-file': {
    type: 'list',
    default: [],
    help: 'Certificate authorities for client certificates, in addition to the one in --cert-dir (which is not used if --tls-cert-file is given). The files are read again when they change.',
  },
  'requestheader-client-ca-file': {
    type: 'string',
    help: 'Certificate authorities of proxies that may name the user of a request in headers. Default: one created in --cert-dir.',
  },
  'requestheader-allowed-names': {
    type: 'list',
    default: [],
    help: 'Common names of client certificates that may set the --requestheader-* headers. Default: any except gateway-client and aggregator-client, which have other purposes.',
  },
  'requestheader-username-headers': {
    type: 'list',
    default: ['X-Remote-User'],
    keepsBlanks: true,
    check: headerNames,
    help: 'Headers with the name of the user. The first one with a value is used.',
  },
  'requestheader-group-headers': {
    type: 'list',
    default: ['X-Remote-Group'],
    keepsBlanks: true,
    check: headerNames,
    help: 'Headers with the groups of the user, one group for each value.',
  },
  'requestheader-extra-headers-prefix': {
    type: 'list',
    default: ['X-Remote-Extra-'],
    keepsBlanks: true,
    check: headerNames,
    help: "Prefix of the headers with extra values of the user. The rest of the header's name is the key, percent-encoded.",
  },
  'proxy-client-cert-file': {
    type: 'string',
    help: 'Client certificate for requests to extension servers, and for webhooks that request one. Servers of the installation do not trust the user headers of a client named aggregator-client. Default: one created in --cert-dir, which is not presented to webhooks.',
  },
  'proxy-client-key-file': { type: 'string', help: 'Private key of --proxy-client-cert-file.' },
  'gateway-client-cert-file': {
    type: 'string',
    help: "Client certificate with which an api-server proxies watches to gateways. Its common name must be gateway-client and its authority must be in the gateways' --requestheader-client-ca-file; it is accepted for watches only. Default: one created in --cert-dir, or --proxy-client-cert-file if --requestheader-client-ca-file is given.",
  },
  'gateway-client-key-file': { type: 'string', help: 'Private key of --gateway-client-cert-file.' },
  'kubelet-client-certificate': {
    type: 'string',
    help: 'Client certificate that is presented to the agents of nodes, for logs, exec, port-forward and proxied requests. It is read again when it changes. Default: one created in --cert-dir, unless --tls-cert-file replaces its authority.',
  },
  'kubelet-client-key': { type: 'string', help: 'Private key of --kubelet-client-certificate.' },
  'kubelet-certificate-authority': {
    type: 'string',
    help: 'Certificate authorities for the certificates of agents. They are read again when they change. Without them, certificates of agents are not verified.',
  },
  'token-auth-file': { type: 'string', help: 'File of static tokens as CSV: token, user, uid, "group,group".' },
  'anonymous-auth': {
    type: 'bool',
    default: true,
    help: 'Treat requests without credentials as those of the user system:anonymous, who may read only health and version unless roles are bound to it. If it is off, such requests are refused with 401.',
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
