import { inUrl, ownAddress } from '@orch/maintenance';
import type { ServingOptions } from './options.js';

/** Open sockets, and the addresses that clients use for them. */
export interface Served {
  /** Port of HTTPS. */
  readonly securePort: number;
  /** Base URL of the process. */
  readonly url: string;
  /** Address at which other servers reach this one. */
  readonly publicAddress: string;
  /**
   * Stops accepting connections and closes idle ones; resolves when the busy ones have ended, which `deadline` cuts.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/** Returns the base URL by which clients on this machine, or those of a public address, reach the process. */
export function urlOf({ bindAddress, publicUrl }: Pick<ServingOptions, 'bindAddress' | 'publicUrl'>, port: number) {
  const host = bindAddress === '0.0.0.0' || bindAddress === '::' ? '127.0.0.1' : bindAddress;
  return publicUrl ?? `https://${inUrl(host)}:${port}`;
}

/** Returns the address at which other servers reach this one, as far as options say or a network interface shows. */
export function publicAddressOf(
  {
    publicUrl,
    advertiseHost: [host],
    advertiseAddress,
    bindAddress,
  }: Pick<ServingOptions, 'publicUrl' | 'advertiseHost' | 'advertiseAddress' | 'bindAddress'>,
  port: number,
  url: string,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
  if (host !== undefined) return `https://${inUrl(host)}:${port}`;
  const isEverywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const address =
    isEverywhere || advertiseAddress !== undefined ? ownAddress({ advertiseAddress, bindAddress }) : undefined;
  return address === undefined ? url : `https://${inUrl(address)}:${port}`;
}
