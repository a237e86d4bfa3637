import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ManagedProcess } from '../../../tools/up/index.js';
import { killInTurns } from '../adversary/adversary.js';
import { withEnvironment } from '../stage/with-environment.js';
import { scaled, tortured } from './scenario.js';

export const clocks = tortured(
  {
    name: 'clocks',
    fault:
      'the clock of one api-server is an hour ahead, that of one gateway an hour behind; others are killed meanwhile',
    pass: 'V1–V7: neither order nor bookmarks nor compaction go by the clock of a server',
  },
  (settings) => ({
    retention: '5s',
    seconds: scaled(settings, 120, 12),
    faults: async (stage) => {
      const [ahead] = stage.cluster.apiServers;
      const [behind] = stage.cluster.gateways;
      if (ahead === undefined || behind === undefined) throw new Error('an api-server and a gateway are needed');
      await restartAt(ahead, '+3600s');
      await restartAt(behind, '-3600s');
      await killInTurns(stage, ['nats', 'postgres']);
    },
  }),
);

async function restartAt(server: ManagedProcess, offset: string): Promise<void> {
  await server.stop();
  const environment = { LD_PRELOAD: libfaketime(), FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  await withEnvironment(environment, () => server.start());
}

/** Path of the library, from Debian's package, which is installed when it is missing. */
function libfaketime(): string {
  const found = search();
  if (found !== undefined) return found;
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'libfaketime'], { stdio: 'ignore' });
  const installed = search();
  if (installed === undefined) throw new Error('libfaketime is not installed');
  return installed;
}

function search(): string | undefined {
  const candidates = readdirSync('/usr/lib').map((entry) => join('/usr/lib', entry, 'faketime', 'libfaketime.so.1'));
  return candidates.find((path) => existsSync(path));
}
