import { BlockList, isIP } from 'node:net';
import type { EnvironmentVariables } from '@orch/runtime';

const SCHEMES = ['http:', 'https:', 'socks5:'];
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/** Returns the port of a URL, or its scheme's default. */
export const portOf = ({ port, protocol }: URL): number => (port ? Number(port) : (PORTS[protocol] ?? 0));

/** Returns the host of a URL for connecting: IPv6 without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** @throws Error that does not quote the URL, which may contain a password */
export function parseProxyUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Error('not a URL');
  const url = new URL(text);
  if (!SCHEMES.includes(url.protocol)) {
    throw new Error(`unsupported scheme "${url.protocol.slice(0, -1)}", must be http, https, or socks5`);
  }
  if (url.hostname === '') throw new Error('it has no host');
  return url;
}

/**
 * Returns the proxy for a server by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case, as Go's
 * golang.org/x/net/http/httpproxy reads them. This machine is never reached through one. Values that are no URL count
 * as none.
 */
export function proxyFromEnvironment(server: URL, env: EnvironmentVariables): URL | undefined {
  const any = (name: string) => env[name] || env[name.toLowerCase()] || '';
  const value = server.protocol === 'https:' ? any('HTTPS_PROXY') : any('HTTP_PROXY');
  const proxy = value === '' ? undefined : lenient(value);
  return proxy && !isExempt(server, any('NO_PROXY')) ? proxy : undefined;
}

function lenient(value: string): URL | undefined {
  for (const text of [value, `http://${value}`]) {
    try {
      return parseProxyUrl(text);
    } catch {
      // Try the next form.
    }
  }
  return undefined;
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = hostOf(server).toLowerCase();
  if (host === 'localhost' || (isIP(host) && LOOPBACK.check(host, family(host)))) return true;
  return noProxy.split(',').some((rule) => matches(rule.trim().toLowerCase(), host, portOf(server)));
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether a rule matches: `*`, a subnet, an address or a domain; the last two may name a port. A domain includes its
 * subdomains.
 */
function matches(rule: string, host: string, port: number): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  const subnet = /^([^/]+)\/(\d+)$/.exec(rule);
  if (subnet) return isInSubnet(host, subnet[1] ?? '', Number(subnet[2]));
  const [, ruleHost = rule, rulePort] = /^(\[[^\]]+\]|[^:]*):(\d+)$/.exec(rule) ?? [];
  if (rulePort !== undefined && Number(rulePort) !== port) return false;
  const name = ruleHost.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name)) return isIP(host) !== 0 && isInSubnet(host, name, isIP(name) === 6 ? 128 : 32);
  const domain = name.replace(/^\*\./, '.');
  if (domain === '') return false;
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isInSubnet(host: string, network: string, bits: number): boolean {
  if (!isIP(host) || !isIP(network) || bits > (isIP(network) === 6 ? 128 : 32)) return false;
  const subnet = new BlockList();
  subnet.addSubnet(network, bits, family(network));
  return subnet.check(host, family(host));
}
