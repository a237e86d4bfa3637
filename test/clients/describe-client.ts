import { rmSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import type { ApiSettings } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { startStandalone } from '../support/standalone.js';
import { type ClientProgram, type Outcomes, runProgram } from './client-program.js';
import { type ConnectedPod, makeConnectedPod, TRANSLATING } from './connected-pod.js';
import { restartGateways } from './restart-gateways.js';

/** Installing a client, starting servers, and the run of a program. */
const SETUP_MS = 1_500_000;
/** For what comes at once, but on a machine that has much else to do. */
const WAIT_MS = 30_000;

interface ServerUnderTest extends ApiSettings {
  readonly kubeconfig: string;
  /** Ends processes that serve requests and starts them again: all, without a word to their clients, where the form says nothing else. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = { standalone, 'two tiers': twoTiers, 'two tiers whose gateways restart': restartingGateways };

export interface ClientSettings {
  /** Library and version. */
  readonly name: string;
  /** Checks of the program, listed so that a missing one is noticed. */
  readonly checks: readonly string[];
  /** Installs the library and tells how to run the program. */
  readonly program: () => ClientProgram;
  /** Forms of the server; the first two when absent. */
  readonly servers?: readonly (keyof typeof SERVERS)[];
  /** Further options of the servers. */
  readonly serverArgs?: readonly string[];
  /** Further checks, for which there is a pod to connect to: two tiers translate what `standalone` passes to its agent as it comes. */
  readonly connects?: readonly string[];
}

/** Checks of connections to a pod, in every language. */
export const CONNECTION_CHECKS = [
  'logs, whole and followed',
  'exec: outputs, exit code, refusal',
  'exec of some MB, both ways',
  'exec in a terminal whose size changes',
  'attach',
  'port-forward of some MB, both ways',
];

/** Runs a program against servers of its own, and makes a test of each of its checks. */
export function describeClient(settings: ClientSettings): void {
  const { name, program, servers = ['standalone', 'two tiers'], serverArgs = [], connects } = settings;
  const checks = [...settings.checks, ...(connects ?? [])];
  describe.each(servers)(`${name}, %s`, (form) => {
    let outcomes: Outcomes;

    beforeAll(async () => {
      const runnable = program();
      const server = await SERVERS[form]([...serverArgs, ...(connects && form !== 'standalone' ? TRANSLATING : [])]);
      let pod: ConnectedPod | undefined;
      try {
        if (connects) pod = await makeConnectedPod(server);
        outcomes = await runProgram(runnable, server.kubeconfig, () => server.restart());
        // It has ended, and so has what it had opened.
        await vi.waitFor(() => expect(pod?.connections.size ?? 0).toBe(0), WAIT_MS);
      } finally {
        await pod?.stop();
        await server.stop();
      }
    }, SETUP_MS);

    test.each(checks)('%s', (check) => {
      expect(outcomes.get(check)).toBe('ok');
    });

    test('no check is unlisted', () => {
      expect([...outcomes.keys()].filter((check) => !checks.includes(check))).toEqual([]);
    });
  });
}

async function standalone(args: readonly string[]): Promise<ServerUnderTest> {
  const server = await startStandalone({ args });
  return {
    ...server,
    async restart() {
      await server.process.kill('SIGKILL');
      await server.process.start();
    },
  };
}

function twoTiers(serverArgs: readonly string[]): Promise<ServerUnderTest> {
  return tiers(serverArgs, 1, async ({ apiServers, gateways }) => {
    const servers = [...apiServers, ...gateways];
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    await Promise.all(servers.map((server) => server.start()));
  });
}

function restartingGateways(serverArgs: readonly string[]): Promise<ServerUnderTest> {
  return tiers(serverArgs, 2, restartGateways);
}

async function tiers(
  serverArgs: readonly string[],
  gateways: number,
  restart: (cluster: Cluster) => Promise<void>,
): Promise<ServerUnderTest> {
  const dir = makeServerFolder('orch-clients-');
  const cluster = await startCluster({ dir, apiServers: 1, gateways, serverArgs });
  return {
    ...cluster,
    restart: () => restart(cluster),
    async stop() {
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
