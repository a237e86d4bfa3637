import type { IncomingMessage } from 'node:http';
import { isAddress } from '@orch/machinery';
import { socketOf } from '../http/context.js';

/**
 * Addresses that a request claims to come from and through, then the address of the connection, the only one that
 * cannot be forged (as `SourceIPs` of the reference).
 */
export function sourceIPs(req: IncomingMessage): string[] {
  const { headers } = req;
  const remote = plain(socketOf(req)?.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  const real = headers['x-real-ip'];
  if (forwarded === undefined && real === undefined) return remote === '' ? [] : [remote];
  const found = String(forwarded ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(isAddress)
    .map(plain);
  const proxied = typeof real === 'string' && isAddress(real) ? plain(real) : '';
  if (proxied !== '' && !found.includes(proxied)) found.push(proxied);
  if (remote !== '' && found.at(-1) !== remote) found.push(remote);
  return found;
}

/** Removes the IPv6 prefix of an IPv4-mapped address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
