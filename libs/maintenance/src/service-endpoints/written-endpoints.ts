import { isIPv6 } from 'node:net';
import type { ApiObject, Names } from '@orch/machinery';

/** Where the Service that stands for the API leads. */
export interface ApiAddresses {
  /** Of the servers that are alive, sorted. */
  readonly addresses: readonly string[];
  readonly port: number;
}

const PORT = { name: 'https', protocol: 'TCP' } as const;

const typeOf = (address: string) => (isIPv6(address) ? 'IPv6' : 'IPv4');

/** What the Endpoints of the Service say beside what stands in their metadata already. */
export function writtenEndpoints(current: ApiObject, { addresses, port }: ApiAddresses, names: Names): ApiObject {
  const { metadata } = current;
  // What stands here is in the slice already, and not to be copied there once more.
  const labels = { ...metadata?.labels, [names.key('endpointslice.orch.io/skip-mirror')]: 'true' };
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ ...PORT, port }] }];
  return { ...current, metadata: { ...metadata, labels }, subsets };
}

/**
 * The same as a slice, which holds addresses of one kind: its own as long as there are any, else that of the first.
 * @returns undefined where the slice is of the other kind, which it cannot change
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
