import { parseTime } from '@orch/machinery';
import { parse } from 'yaml';
import type { ServerPlace } from '../connection.js';
import { isRecord } from '../record.js';
import { type ClientCertificate, clientCertificate } from './certificate.js';
import type { ExecPlugin } from './exec-plugin.js';

/** Credentials that a plugin returned. */
export interface PluginCredentials {
  /** Bearer token. */
  readonly token?: string;
  readonly certificate?: ClientCertificate;
  /** Milliseconds since 1970; unset: until the server refuses it. */
  readonly expiresAt?: number;
}

/** Returns the `ExecCredential` for a plugin, as JSON; filled in as in client-go's rest/exec.go. */
export function requestFor(plugin: ExecPlugin, place: ServerPlace, interactive: boolean): string {
  const { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression } = place;
  const cluster = {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(disableCompression && { 'disable-compression': true }),
    config: plugin.config ?? null,
  };
  const spec = { ...(plugin.provideClusterInfo && { cluster }), interactive };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec });
}

/** Parses a plugin's output. The error quotes no part of it that could be a secret. @throws Error */
export function readCredential(output: string, { apiVersion }: ExecPlugin): PluginCredentials {
  const credential = parsed(output);
  if (!isRecord(credential) || credential.kind !== 'ExecCredential') {
    throw new Error('decoding stdout: it is no ExecCredential');
  }
  if (credential.apiVersion !== apiVersion) {
    const returned = String(credential.apiVersion).slice(0, 100);
    throw new Error(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${returned}`);
  }
  const { status } = credential;
  if (!isRecord(status)) throw new Error('exec plugin returned no status');
  const token = text(status, 'token');
  const cert = text(status, 'clientCertificateData');
  const key = text(status, 'clientKeyData');
  if (!token && !cert && !key) throw new Error('exec plugin returned neither a token nor a certificate with its key');
  if (!cert !== !key) throw new Error('exec plugin returned only one of certificate and key');
  const expiresAt = expiry(status.expirationTimestamp);
  return {
    ...(token && { token }),
    ...(cert && key && { certificate: clientCertificate(cert, key) }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Far more than credentials take; longer YAML would block the process. */
const MAX_YAML = 65_536;

/** Parses JSON, or YAML, which client-go reads as well. */
function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    // It may be YAML.
  }
  try {
    if (output.length <= MAX_YAML) return parse(output, { logLevel: 'error' });
  } catch {
    // Reported below, without its content.
  }
  throw new Error('decoding stdout: it is neither JSON nor YAML');
}

function text(status: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const value = status[member];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new Error(`decoding stdout: status.${member} is not a string`);
  return value;
}

function expiry(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  try {
    if (typeof value === 'string') return parseTime(value);
  } catch {
    // Reported below, without the value.
  }
  throw new Error('decoding stdout: status.expirationTimestamp is no time as RFC 3339 writes it');
}
