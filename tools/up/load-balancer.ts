import type { BackendPlacement } from './backends.js';
import { haproxy } from './haproxy.js';
import type { ManagedProcess } from './managed-process.js';
import { nginx } from './nginx.js';
import type { Programs } from './programs.js';

/** Load balancers that can be chosen: TLS ends there, watches go to the gateways, the rest to api-servers. */
export const LOAD_BALANCERS = ['nginx', 'haproxy'] as const;
/** Name of a load balancer. */
export type LoadBalancerKind = (typeof LOAD_BALANCERS)[number];

/** Settings of a load balancer in front of a cluster. */
export interface LoadBalancerSettings extends BackendPlacement {
  /** Loopback port: HAProxy answers health checks at it; nginx uses it for requests to itself. */
  readonly healthPort: number;
  /** Address that clients connect to; loopback when absent. */
  readonly address?: string;
  /** Addresses at which servers take HTTPS, as `127.0.0.1:6443`: at least one of each tier. */
  readonly apiServers: readonly string[];
  readonly gateways: readonly string[];
  /** PEM files: what clients are shown, and what they and the servers behind are checked against. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  /** PEM file of the certificate that servers trust to name the user; its key lies beside it. */
  readonly proxyCertFile: string;
}

/** Returns a load balancer that has not been started. */
export function loadBalancer(
  kind: LoadBalancerKind,
  settings: LoadBalancerSettings,
  programs: Programs,
): ManagedProcess {
  return kind === 'nginx' ? nginx(settings, programs.nginx) : haproxy(settings, programs.haproxy);
}
