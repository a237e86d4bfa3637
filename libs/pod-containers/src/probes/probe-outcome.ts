import type { Container } from '@orch/schema/types/core/v1';

/** Outcome of one check. A warning counts as a success that is reported. */
export interface ProbeOutcome {
  /** Whether it succeeded. */
  readonly result: 'success' | 'warning' | 'failure';
  /** Text for the event. */
  readonly output: string;
}

/** Limits of a check. */
export interface ProbeLimits {
  /** Milliseconds until it has failed. */
  readonly timeoutMs: number;
}

/** Returns a port by its number, or its name among the container's ports. @throws Error if there is none */
export function resolvePort(port: string | number | undefined, { ports = [] }: Container): number {
  const text = String(port ?? '');
  const named = ports.find(({ name }) => name === text)?.containerPort;
  const number = /^\d+$/.test(text) ? Number(text) : named;
  if (number === undefined && !/^\d+$/.test(text)) throw new Error(`couldn't find port: ${text}`);
  if (number === undefined || number < 1 || number > 65_535) throw new Error(`invalid port number: ${number ?? text}`);
  return number;
}

/** Returns `host:port`, with brackets round addresses of IPv6. */
export const hostAndPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** Describes why a connection failed, in the words of the reference. */
export function dialFailure(error: unknown, address: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : DIAL_ERRORS[code];
  return known === undefined ? message : `dial tcp ${address}: ${known}`;
}

const DIAL_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};
