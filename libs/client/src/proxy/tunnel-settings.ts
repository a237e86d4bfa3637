import type { PeerOptions } from '@orch/tls';

/** User and password of a proxy's URL, decoded; undefined for neither. */
export const proxyUser = ({ username, password }: URL) =>
  username || password ? { user: decodeURIComponent(username), password: decodeURIComponent(password) } : undefined;

/** How a proxy is reached. */
export interface TunnelSettings {
  /** How an `https` proxy is verified. */
  readonly peer: PeerOptions;
  /** Whether that is checked. */
  readonly rejectUnauthorized: boolean;
  /** How long it may take, ms. */
  readonly timeoutMs: number;
}
