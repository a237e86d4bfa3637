import type { DnsConfig } from '@orch/container-runtime';
import type { Pod, PodDNSConfig, PodDNSConfigOption } from '@orch/schema/types/core/v1';

/** Settings of the resolvers of pods. */
export interface DnsSettings {
  /** DNS servers of the cluster. */
  readonly clusterDns: readonly string[];
  /** Domain of the cluster; empty for none. */
  readonly clusterDomain: string;
  /** Content of the node's `resolv.conf`; empty for none. */
  readonly resolvConf: string;
}

/** Resolver configuration of a pod, and what is to be reported about it. */
interface PodDns {
  /** Content of the pod's `resolv.conf`. */
  readonly config: DnsConfig;
  /** Warnings of the pod: reason and message each. */
  readonly warnings: readonly (readonly [reason: string, message: string])[];
}

/** Limits of the resolvers of the C library, and of release 1.27. */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const CLUSTER_OPTIONS = ['ndots:5'];

/** Returns the resolver configuration of a pod by its DNS policy. */
export function podDns(pod: Pod, settings: DnsSettings): PodDns {
  const warnings: (readonly [string, string])[] = [];
  const base = baseConfig(pod, settings, warnings);
  const merged = withPodConfig(base, pod.spec?.dnsConfig ?? {});
  return { config: withinLimits(merged, warnings), warnings };
}

function baseConfig(pod: Pod, settings: DnsSettings, warnings: (readonly [string, string])[]): DnsConfig {
  const { dnsPolicy = 'ClusterFirst', hostNetwork = false } = pod.spec ?? {};
  const host = parseResolvConf(settings.resolvConf);
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  const isOfCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork);
  if (isOfCluster && settings.clusterDns.length > 0) {
    const searches = clusterSearches(pod.metadata?.namespace ?? '', settings.clusterDomain, host.searches);
    return { servers: settings.clusterDns, searches, options: CLUSTER_OPTIONS };
  }
  if (isOfCluster) {
    const { name = '', namespace = '' } = pod.metadata ?? {};
    warnings.push([
      'MissingClusterDNS',
      `pod: "${name}_${namespace}(${pod.metadata?.uid ?? ''})". kubelet does not have ClusterDNS IP configured and cannot create Pod using "${dnsPolicy}" policy. Falling back to "Default" policy.`,
    ]);
  }
  // Without a file, pods resolve nothing but what the node itself does.
  return settings.resolvConf === '' ? { servers: ['127.0.0.1'], searches: ['.'], options: [] } : host;
}

function clusterSearches(namespace: string, domain: string, host: readonly string[]): readonly string[] {
  if (domain === '') return host;
  return [...new Set([`${namespace}.svc.${domain}`, `svc.${domain}`, domain, ...host])];
}

/** Parses a `resolv.conf`: servers add up, and the last list of searches holds. */
export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'nameserver' && values[0] !== undefined) servers.push(values[0]);
    if (keyword === 'search')
      searches = values.filter((value) => value !== '.').map((value) => value.replace(/\.$/, ''));
    if (keyword === 'options') for (const option of values) options.set(option.split(':')[0] ?? '', option);
  }
  return { servers, searches, options: [...options.values()] };
}

function withPodConfig(base: DnsConfig, { nameservers = [], searches = [], options = [] }: PodDNSConfig): DnsConfig {
  return {
    servers: [...new Set([...base.servers, ...nameservers])],
    searches: [...new Set([...base.searches, ...searches])],
    options: withOptions(base.options, options),
  };
}

function withOptions(base: readonly string[], more: readonly PodDNSConfigOption[]): string[] {
  const options = new Map(base.map((option) => [option.split(':')[0] ?? '', option]));
  for (const { name = '', value } of more) options.set(name, value ? `${name}:${value}` : name);
  return [...options.values()];
}

function withinLimits(config: DnsConfig, warnings: (readonly [string, string])[]): DnsConfig {
  const servers = config.servers.slice(0, MAX_SERVERS);
  if (servers.length < config.servers.length)
    warnings.push([
      'DNSConfigForming',
      `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${servers.join(' ')}`,
    ]);
  const searches = config.searches.slice(0, MAX_SEARCHES);
  while (searches.join(' ').length > MAX_SEARCH_CHARACTERS) searches.pop();
  if (searches.length < config.searches.length)
    warnings.push([
      'DNSConfigForming',
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(' ')}`,
    ]);
  return { servers, searches, options: config.options };
}
