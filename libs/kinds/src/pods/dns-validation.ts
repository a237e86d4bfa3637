import { dnsSubdomainErrors, type FieldError, invalidValue, required } from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { isObject, objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';
import { isAddress } from '../values/ip-address.js';

/** What resolvers of nodes can take. */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const NOT_AN_ADDRESS = 'must be valid IP address';

/** How names are resolved in the pod. */
export function validateDnsConfig(spec: unknown, path: string): FieldError[] {
  const config = objectAt(spec).dnsConfig;
  const servers = stringsAt(config, 'nameservers');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    if (!isObject(config)) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      return [required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
    }
  }
  return [
    ...validateServers(servers, `${path}.nameservers`),
    ...validateSearches(stringsAt(config, 'searches'), `${path}.searches`),
    ...objectsAt(config, 'options').flatMap((option, index) =>
      textAt(option, 'name') === '' ? [required(`${path}.options[${index}]`, 'must not be empty')] : [],
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

function validateSearches(searches: readonly string[], path: string): FieldError[] {
  const texts: string[] = [];
  if (searches.length > MAX_SEARCHES) texts.push(`must not have more than ${MAX_SEARCHES} search paths`);
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    texts.push(`must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`);
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
export const validateHostAliases = (spec: unknown, path: string): FieldError[] =>
  objectsAt(spec, 'hostAliases').flatMap((alias) => {
    const address = textAt(alias, 'ip');
    return [
      ...(isAddress(address) ? [] : [invalidValue(`${path}.ip`, address, NOT_AN_ADDRESS)]),
      ...stringsAt(alias, 'hostnames').flatMap((name) =>
        invalidEach(`${path}.hostnames`, name, dnsSubdomainErrors(name)),
      ),
    ];
  });
