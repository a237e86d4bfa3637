import { access, constants, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { readPluginConfigurations } from '@orch/admission-host';
import { checkVersions, eventVersion, loadPolicy } from '@orch/audit';
import { TokenFileAuthenticator } from '@orch/authentication';
import { readKubeconfig } from '@orch/client';
import { readCredentials, readServiceAccountKeys } from '@orch/credentials';
import { readEncryptionFile } from '@orch/encryption';
import { natsSettings } from '@orch/feed';
import { type Names, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { checkGatewayClient } from '@orch/serving';
import { parseDatabaseUrl } from '@orch/storage';
import { readTracingConfig } from '../metrics/tracing-config.js';
import type { ControlPlaneSettings, ProcessRole } from './control-plane-settings.js';
import type { BackendOptions, ServingOptions } from './options.js';

/** A check, and what errors call its subject where they name no option themselves. */
type Check = readonly [called: string, check: () => unknown];

type CheckedSettings = Pick<ControlPlaneSettings, 'serving' | 'backend' | 'role'>;

/**
 * Reads every file that the options name, and tries the addresses to listen at, before anything is started that would
 * have to be stopped for them.
 * @throws Error with a line for each value that cannot be used
 */
export async function checkSettings({ serving, backend, role }: CheckedSettings): Promise<void> {
  const names = namesOf(serving.naming);
  const checks: readonly Check[] = [
    ['--bind-address and --secure-port', () => tryAddress(serving.bindAddress, serving.securePort)],
    ...(serving.insecurePort > 0 ? [listens('--insecure-port', serving.insecurePort)] : []),
    ...together(serving, [
      ['certificates', () => checkCredentials(serving, names, role)],
      ['keys of service accounts', () => readServiceAccountKeys(serving, names)],
    ]),
    ...filesOf(serving, names),
    ...auditFiles(serving, names),
    ...backendFiles(backend, names),
  ];
  const problems: string[] = [];
  for (const check of checks) problems.push(...(await problemOf(check)));
  if (problems.length > 0) throw new Error(problems.join('\nError: '));
}

const listens = (called: string, port: number): Check => [called, () => tryAddress('127.0.0.1', port)];

async function checkCredentials(
  serving: ServingOptions,
  names: Names,
  { gatewayUrls, takesHandedWatches }: ProcessRole,
) {
  const set = await readCredentials(serving, names, takesHandedWatches);
  if (gatewayUrls.length > 0) checkGatewayClient(set);
}

/** Returns the error of a check in one line; none where it passes. */
async function problemOf([called, check]: Check): Promise<string[]> {
  try {
    await check();
    return [];
  } catch (error) {
    const text = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
    return [text.startsWith('--') ? text : `${called}: ${text}`];
  }
}

/** Checks of options that were given. */
function given(option: string, value: string | undefined, check: (value: string) => unknown): Check[] {
  return value === undefined ? [] : [[`--${option}`, async () => (await isReadOnce(value)) || check(value)]];
}

/** Checks that read the files of several options. */
const together = (options: object, checks: readonly Check[]): Check[] =>
  checks.map(([called, check]) => {
    const values: unknown[] = Object.values(options).flat();
    return [called, async () => (await Promise.all(values.map(isReadOnce))).some(Boolean) || check()];
  });

/** Whether a value names a pipe (`<(…)` of a shell, /dev/stdin): reading it here would leave nothing for its user. */
async function isReadOnce(value: unknown): Promise<boolean> {
  if (typeof value !== 'string') return false;
  const found = await stat(value).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

const filesOf = (serving: ServingOptions, names: Names): Check[] => [
  ...given('tracing-config-file', serving.tracingConfigFile, readTracingConfig),
  ...given('admission-control-config-file', serving.admissionControlConfigFile, (file) =>
    readPluginConfigurations(file, () => true),
  ),
  ...given('root-ca-file', serving.rootCaFile, readable),
  ...given('token-auth-file', serving.tokenAuthFile, (file) => TokenFileAuthenticator.read(file)),
  ...given('oidc-ca-file', serving.oidcCaFile, readable),
  ...given('authentication-token-webhook-config-file', serving.authenticationTokenWebhookConfigFile, (file) =>
    readKubeconfig(file, { names }),
  ),
  ...given('authorization-webhook-config-file', serving.authorizationWebhookConfigFile, (file) => readKubeconfig(file)),
  ...given('redis-key-file', serving.redisKeyFile, readable),
  ...given('redis-ca-file', serving.redisCaFile, readable),
];

const auditFiles = (serving: ServingOptions, names: Names): Check[] => [
  ['audit log', () => checkVersions(serving, eventVersion(names))],
  ...given('audit-policy-file', serving.auditPolicyFile, (file) => loadPolicy(file, loadScheme(names))),
  ...given('audit-webhook-config-file', serving.auditWebhookConfigFile, (file) => readKubeconfig(file, { names })),
  ...given('audit-log-path', serving.auditLogPath, (path) => (path === '-' ? undefined : writable(path))),
];

const backendFiles = (backend: BackendOptions, names: Names): Check[] => [
  ...together(backend, [['NATS', () => natsSettings(backend)]]),
  ...given('postgres-url', backend.postgresUrl, parseDatabaseUrl),
  ...given('postgres-read-url', backend.postgresReadUrl, parseDatabaseUrl),
  ...given('encryption-provider-config', backend.encryptionProviderConfig, (file) =>
    readEncryptionFile(file, { events: names.group('events.orch.io') }),
  ),
];

const readable = (file: string): Promise<unknown> => readFile(file);

/** Checks that a file exists, or can be created together with missing folders. */
async function writable(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || dirname(path) === path) throw error;
    await writable(dirname(path));
  }
}

/** Listens for a moment. @throws Error where that is not possible */
function tryAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => server.close(() => resolve()));
  });
}
