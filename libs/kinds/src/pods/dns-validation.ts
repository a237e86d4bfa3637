import { dnsSubdomainErrors, type FieldError, invalidValue, isAddress, required } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { equal } from '../values/equal.js';
import { shownStrings } from '../values/go-syntax.js';
import type { PodContext } from './pod-context.js';

/** The limits of the resolvers of nodes. */
const MAX_SERVERS = 3;
const EXPANDED = { searches: 32, characters: 2048 };
const LEGACY = { searches: 6, characters: 256 };
const NOT_AN_ADDRESS = 'must be valid IP address';

/** How names are resolved in the pod. */
export function validateDnsConfig(
  spec: PodSpec | undefined,
  path: string,
  { settings, kept }: PodContext,
): FieldError[] {
  const config = spec?.dnsConfig;
  const servers = config?.nameservers ?? [];
  if (spec?.dnsPolicy === 'None') {
    if (!config) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      return [required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
    }
  }
  const searches = config?.searches ?? [];
  const expanded = settings.features.enabled('ExpandedDNSConfig') || equal(searches, kept.searches);
  return [
    ...validateServers(servers, `${path}.nameservers`),
    ...validateSearches(searches, `${path}.searches`, expanded ? EXPANDED : LEGACY),
    ...(config?.options ?? []).flatMap((option, index) =>
      (option.name ?? '') === '' ? [required(`${path}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function validateServers(servers: readonly string[], path: string): FieldError[] {
  const many = servers.length > MAX_SERVERS;
  return [
    ...(many ? [invalidValue(path, shownStrings(servers), `must not have more than ${MAX_SERVERS} nameservers`)] : []),
    ...servers.flatMap((server, index) =>
      isAddress(server) ? [] : [invalidValue(`${path}[${index}]`, server, NOT_AN_ADDRESS)],
    ),
  ];
}

function validateSearches(searches: readonly string[], path: string, most: typeof EXPANDED): FieldError[] {
  const texts: string[] = [];
  if (searches.length > most.searches) texts.push(`must not have more than ${most.searches} search paths`);
  if (searches.join(' ').length > most.characters) {
    texts.push(`must not have more than ${most.characters} characters (including spaces) in the search list`);
  }
  return [
    ...(texts.length > 0 ? invalidEach(path, shownStrings(searches), texts) : []),
    ...searches.flatMap((search, index) => {
      const name = search.endsWith('.') ? search.slice(0, -1) : search;
      return invalidEach(`${path}[${index}]`, name, dnsSubdomainErrors(name));
    }),
  ];
}

/** Names that the pod knows without asking; the reference names no index of theirs. */
export const validateHostAliases = (spec: PodSpec | undefined, path: string): FieldError[] =>
  (spec?.hostAliases ?? []).flatMap((alias) => {
    const address = alias.ip ?? '';
    return [
      ...(isAddress(address) ? [] : [invalidValue(`${path}.ip`, address, NOT_AN_ADDRESS)]),
      ...(alias.hostnames ?? []).flatMap((name) => invalidEach(`${path}.hostnames`, name, dnsSubdomainErrors(name))),
    ];
  });
