import { BlockList, isIP } from 'node:net';
import { badRequest } from '@orch/machinery';

/** Addresses that are no single remote host: unspecified, loopback, link-local and multicast. */
const LOCAL = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
] as const)
  LOCAL.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::1', 128],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  LOCAL.addSubnet(network, bits, 'ipv6');
LOCAL.addAddress('0.0.0.0');
LOCAL.addAddress('255.255.255.255');

/** Whether an IP address may be that of another machine: no loopback, link-local, multicast or unspecified one. */
export const isRoutable = (ip: string): boolean => !LOCAL.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6');

/**
 * Refuses addresses that must not be proxied to, such as loopback and link-local ones.
 * @param names whether host names are accepted too: names are not looked up
 * @throws StatusError 400
 */
export function requireRoutable(host: string, names?: 'or-name'): void {
  const family = isIP(host);
  if (family === 0 && names && host !== '') return;
  if (family === 0 || !isRoutable(host)) throw badRequest('address not allowed');
}
