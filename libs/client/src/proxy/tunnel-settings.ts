import type { PeerOptions } from '@orch/tls';

/** Returns user and password of a proxy's URL, decoded; undefined for neither. */
export const proxyUser = ({ username, password }: URL) =>
  username || password ? { user: decodeURIComponent(username), password: decodeURIComponent(password) } : undefined;

/** Settings for reaching a proxy. */
export interface TunnelSettings {
  /** How an `https` proxy is verified. */
  readonly peer: PeerOptions;
  /** Whether it is verified. */
  readonly rejectUnauthorized: boolean;
  /** Timeout, ms. */
  readonly timeoutMs: number;
}
