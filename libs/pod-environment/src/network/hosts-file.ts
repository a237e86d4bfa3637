import { dnsLabelErrors } from '@orch/machinery';
import type { HostAlias, Pod } from '@orch/schema/types/core/v1';

/** Name by which a pod knows itself. */
interface PodHostname {
  /** Host name, at most 63 characters. */
  readonly hostname: string;
  /** Domain of a pod with a subdomain; else empty. */
  readonly domain: string;
}

const MAX_HOSTNAME = 63;

/** Returns host name and domain of a pod. @throws Error where its spec has an invalid one */
export function podHostname(pod: Pod, clusterDomain: string): PodHostname {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const { hostname: wanted = '', subdomain = '' } = pod.spec ?? {};
  for (const [field, value] of [
    ['Hostname', wanted],
    ['Subdomain', subdomain],
  ] as const) {
    const errors = value === '' ? [] : dnsLabelErrors(value);
    if (errors.length > 0) throw new Error(`pod ${field} "${value}" is not a valid DNS label: ${errors.join(';')}`);
  }
  const hostname = (wanted || name).slice(0, MAX_HOSTNAME);
  return {
    // A name that was cut may end with a separator.
    hostname: (wanted || name).length > MAX_HOSTNAME ? hostname.replace(/[-.]+$/, '') : hostname,
    domain: subdomain === '' ? '' : `${subdomain}.${namespace}.svc.${clusterDomain}`,
  };
}

/** Returns the host name that the kernel reports: the full name for `setHostnameAsFQDN`. @throws Error if too long */
export function kernelHostname(pod: Pod, { hostname, domain }: PodHostname): string {
  if (pod.spec?.setHostnameAsFQDN !== true || domain === '') return hostname;
  const full = `${hostname}.${domain}`;
  if (full.length <= 64) return full;
  throw new Error(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long (64 characters is the max, ${full.length} characters requested)`,
  );
}

const LOCAL = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** Returns the content of `/etc/hosts` of a pod with a network of its own. */
export function hostsFile(
  ips: readonly string[],
  { hostname, domain }: PodHostname,
  aliases: readonly HostAlias[] = [],
) {
  const name = domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`;
  const own = ips.map((ip) => `${ip}\t${name}`);
  return ['# Kubernetes-managed hosts file.', ...LOCAL, ...own, ''].join('\n') + aliasLines(aliases);
}

/** Returns the content of `/etc/hosts` of a pod in the node's network: the node's file and the aliases. */
export const hostsFileOfNode = (file: string, aliases: readonly HostAlias[] = []): string =>
  `# Kubernetes-managed hosts file (host network).\n${file}${aliasLines(aliases)}`;

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  const lines = aliases.map(({ ip = '', hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join('')}`;
}
