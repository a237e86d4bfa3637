import { isIPv6 } from 'node:net';
import type { ApiObject, Names } from '@orch/machinery';

/** Addresses and port behind the Service of the API. */
export interface ApiAddresses {
  /** Addresses of the live servers, sorted. */
  readonly addresses: readonly string[];
  /** Port of the servers. */
  readonly port: number;
}

const PORT = { name: 'https', protocol: 'TCP' } as const;

const typeOf = (address: string) => (isIPv6(address) ? 'IPv6' : 'IPv4');

/** Returns the Endpoints of the Service; other metadata is kept. */
export function writtenEndpoints(current: ApiObject, { addresses, port }: ApiAddresses, names: Names): ApiObject {
  const { metadata } = current;
  // The slice has these addresses already, so they must not be mirrored into another one.
  const labels = { ...metadata?.labels, [names.key('endpointslice.orch.io/skip-mirror')]: 'true' };
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ ...PORT, port }] }];
  return { ...current, metadata: { ...metadata, labels }, subsets };
}

/**
 * Returns the EndpointSlice of the Service. A slice holds addresses of one family: its own as long as there are any,
 * else that of the first address.
 * @returns undefined if the slice is of the other family, which cannot be changed
 */
export function writtenSlice(
  current: ApiObject,
  { addresses, port }: ApiAddresses,
  names: Names,
): ApiObject | undefined {
  const { metadata } = current;
  const labels = { ...metadata?.labels, [names.key('orch.io/service-name')]: names.apiServiceName };
  const addressType = (current.addressType as string | undefined) ?? typeOf(addresses[0] ?? '');
  const alike = addresses.filter((address) => typeOf(address) === addressType);
  if (alike.length === 0) return undefined;
  return {
    ...current,
    metadata: { ...metadata, labels },
    addressType,
    endpoints: alike.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ ...PORT, port }],
  };
}
