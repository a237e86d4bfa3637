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
} from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, readCommandLine } from '@orch/runtime';
import { startEmbeddedPostgres } from '@orch/storage/embedded';

const options = defineOptions(
  {
    ...servingOptions,
    ...backendOptions,
    'cert-dir': { type: 'string', help: 'Folder of certificates and keys. Default: pki in --data-dir.' },
    'data-dir': { type: 'string', default: '.orch', help: 'Folder of the database, certificates and kubeconfig.' },
    'kubeconfig-out': {
      type: 'string',
      help: "File to write an administrator's kubeconfig to. Default: kubeconfig in --data-dir.",
    },
  },
  servingProblems,
);

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = options.definitions;

/** `orch standalone`: everything in one process tree, with an embedded PostgreSQL. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(options, args, 'orch standalone [options]');
  if (!line.run) return line.exitCode;
  const { values } = line;
  const dataDir = resolve(values.dataDir);
  const serving = {
    ...values,
    certDir: values.certDir ?? `${dataDir}/pki`,
    kubeconfigOut: resolve(values.kubeconfigOut ?? `${dataDir}/kubeconfig`),
  };
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const database = embeddedUnless(values.postgresUrl, `${dataDir}/postgres`);
  const settings: ControlPlaneSettings = {
    role: { name: 'standalone', gatewayUrls: [], housekeeping: true },
    serving,
    backend: values,
    openStore: async (observer) => storeAt(await database.start(), serving, values, { observer, mayOnlyRead: false }),
    openBus: (settings) => busOf(values, settings),
  };
  try {
    return await runService(settings);
  } finally {
    await database.stop();
  }
}

interface Database {
  /** Resolves with the URL to connect to. */
  start(): Promise<string>;
  stop(): Promise<void>;
}

function embeddedUnless(url: string | undefined, dataDir: string): Database {
  if (url !== undefined) return { start: async () => url, stop: async () => {} };
  let stop = async (): Promise<void> => {};
  return {
    async start() {
      const postgres = await startEmbeddedPostgres({ dataDir });
      stop = () => postgres.stop();
      return postgres.url;
    },
    stop: () => stop(),
  };
}
