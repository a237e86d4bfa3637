import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startCluster } from '../../tools/up/index.js';
import { startStandalone } from '../support/standalone.js';
import { type ClientProgram, type Outcomes, runProgram } from './client-program.js';

/** Installing a client, starting servers, and the run of a program. */
const SETUP_MS = 1_500_000;

interface ServerUnderTest {
  readonly kubeconfig: string;
  /** Ends every process that serves requests, without a word to its clients, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = { standalone, 'two tiers': twoTiers };

export interface ClientSettings {
  /** Library and version. */
  readonly name: string;
  /** What the program checks, listed so that a check that is no longer made is noticed. */
  readonly checks: readonly string[];
  /** Installs the library and tells how to run the program. */
  readonly program: () => ClientProgram;
  /** Forms of the server; both when absent. */
  readonly servers?: readonly (keyof typeof SERVERS)[];
  /** Further options of the servers. */
  readonly serverArgs?: readonly string[];
}

/** Runs a program against servers of its own, and makes a test of each of its checks. */
export function describeClient(settings: ClientSettings): void {
  const { name, checks, program, servers = ['standalone', 'two tiers'], serverArgs = [] } = settings;
  describe.each(servers)(`${name}, %s`, (form) => {
    let outcomes: Outcomes;

    beforeAll(async () => {
      const runnable = program();
      const server = await SERVERS[form](serverArgs);
      try {
        outcomes = await runProgram(runnable, server.kubeconfig, () => server.restart());
      } finally {
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
    kubeconfig: server.kubeconfig,
    async restart() {
      await server.process.kill('SIGKILL');
      await server.process.start();
    },
    stop: () => server.stop(),
  };
}

async function twoTiers(serverArgs: readonly string[]): Promise<ServerUnderTest> {
  const dir = mkdtempSync(join(tmpdir(), 'orch-clients-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  const cluster = await startCluster({ dir, apiServers: 1, gateways: 1, serverArgs });
  const servers = [...cluster.apiServers, ...cluster.gateways];
  return {
    kubeconfig: cluster.kubeconfig,
    async restart() {
      await Promise.all(servers.map((server) => server.kill('SIGKILL')));
      await Promise.all(servers.map((server) => server.start()));
    },
    async stop() {
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
