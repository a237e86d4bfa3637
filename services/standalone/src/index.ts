import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  backendOptions,
  busOf,
  type ControlPlaneSettings,
  runService,
  servingOptions,
  servingProblems,
  storeAt,
  warmUpOptions,
} from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, readCommandLine } from '@orch/runtime';
import { databaseOf } from './database.js';
import { addressTypes, disabledPlugins, nodeOf, nodeRuntimeOptions } from './node-runtime.js';
import { schedulerOf, schedulerOptions } from './scheduler.js';

const options = defineOptions(
  {
    ...servingOptions,
    ...backendOptions,
    ...nodeRuntimeOptions,
    ...schedulerOptions,
    ...warmUpOptions(0),
    // A machine, or systemd, waits for ten seconds or little more.
    'shutdown-drain-duration': { ...servingOptions['shutdown-drain-duration'], default: 5_000 },
    'cert-dir': { type: 'string', help: 'Folder of certificates and keys. Default: pki in --data-dir.' },
    'data-dir': { type: 'string', default: '.orch', help: 'Folder of the database, certificates and kubeconfig.' },
    'embedded-postgres-timeout': {
      type: 'duration',
      default: 300_000,
      min: 0,
      help: 'How long an embedded PostgreSQL that has ended is restarted without success before the process ends with an error. Time during which its disk is full is not counted.',
    },
    'kubeconfig-out': {
      type: 'string',
      help: "File that an administrator's kubeconfig is written to. Default: kubeconfig in --data-dir.",
    },
  },
  servingProblems,
);

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = options.definitions;

const ROLE = { name: 'standalone', gatewayUrls: [], housekeeping: true };

/** `orch standalone`: everything in one process tree, with an embedded PostgreSQL. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(options, args, 'orch standalone [options]');
  if (!line.run) return line.exitCode;
  const { values } = line;
  const dataDir = resolve(values.dataDir);
  const serving = {
    ...values,
    disableAdmissionPlugins: disabledPlugins(values),
    kubeletPreferredAddressTypes: addressTypes(values),
    certDir: values.certDir ?? `${dataDir}/pki`,
    kubeconfigOut: resolve(values.kubeconfigOut ?? `${dataDir}/kubeconfig`),
  };
  const node = await nodeOf({ ...serving, dataDir });
  const scheduler = await schedulerOf(serving);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const database = databaseOf({
    url: values.postgresUrl,
    dataDir: `${dataDir}/postgres`,
    restartTimeout: values.embeddedPostgresTimeout,
  });
  const settings: ControlPlaneSettings = {
    role: { ...ROLE, publishesAuthority: values.nodeRuntime !== 'none', warmUpMs: values.warmUp },
    serving,
    backend: values,
    openStore: async (observer, host) =>
      storeAt(await database.start(host), serving, values, { observer, mayOnlyRead: false }),
    releaseStore: () => database.stop(),
    companions: (api) => [...node(api), ...scheduler(api)],
    openBus: (settings) => busOf(values, settings),
  };
  return runService(settings);
}
