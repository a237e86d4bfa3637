import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { IPFamily } from '@orch/machinery';

/** Network interfaces of a machine. */
export interface Network {
  /** Addresses by name of the interface. */
  readonly interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>;
  /** Name of the interface of the default route; undefined if unknown. */
  readonly outward: string | undefined;
}

/** Default route in /proc/net/route of Linux: the name of the interface, then the network. */
const DEFAULT_ROUTE = /^(\S+)\t00000000\t/m;

function outwardInterface(): string | undefined {
  try {
    return DEFAULT_ROUTE.exec(readFileSync('/proc/net/route', 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

/** Reads the network interfaces and the default route of this machine. */
export const thisMachine = (): Network => ({ interfaces: networkInterfaces(), outward: outwardInterface() });

const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::';
/** Whether an address or host name is that of the loopback interface: `::1`, `localhost` or 127.0.0.0/8. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || address === 'localhost' || /^127\./.test(address);

/**
 * Determines the address by which others reach this server: the configured one, else the one that it listens on; where
 * that is a loopback or wildcard address, that of the interface with the default route, else of any interface.
 * @param family preferred where the server listens on both
 * @returns undefined on a machine that has none
 */
export function ownAddress(
  { advertiseAddress, bindAddress }: { readonly advertiseAddress?: string | undefined; readonly bindAddress: string },
  network: Network = thisMachine(),
  family: IPFamily = 'IPv6',
): string | undefined {
  if (advertiseAddress !== undefined) return advertiseAddress;
  if (isIP(bindAddress) !== 0 && !isUnspecified(bindAddress) && !isLoopback(bindAddress)) return bindAddress;
  const { interfaces, outward } = network;
  const all = [...((outward && interfaces[outward]) || []), ...Object.values(interfaces).flatMap((each) => each ?? [])];
  const fitting = all.filter(({ internal, address }) => !internal && !/^fe80:|^169\.254\./i.test(address));
  const wanted = bindAddress === '::' ? family : 'IPv4';
  return (fitting.find(({ family }) => family === wanted) ?? fitting[0])?.address;
}

/** An address as it stands in URLs. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
