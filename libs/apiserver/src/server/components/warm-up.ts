import { randomBytes } from 'node:crypto';
import { systemClock } from '@orch/runtime';
import { ScratchStore } from '../warm-up/scratch-store.js';
import { openHttp1, openHttp2 } from '../warm-up/warm-up-connection.js';
import { WarmUpRequests } from '../warm-up/warm-up-requests.js';
import { openWarmUpServer } from '../warm-up/warm-up-server.js';
import { declare, type Host } from './process.js';

const NEEDS = ['api', 'access', 'credentials'] as const;

/** Connections of each version of HTTP. */
const CONNECTIONS = 8;

/**
 * Runs the code of frequent writes before the process is ready, so that the engine has compiled it when the first
 * requests come.
 */
export const warmUp = declare({ name: 'warm-up', needs: NEEDS }, (process) => {
  const { warmUpMs: limitMs = 0 } = process.settings.role;
  let isWarm = limitMs === 0;
  process.health.add(
    {
      name: 'warm-up',
      check() {
        if (!isWarm) throw new Error('the process is still warming up');
      },
    },
    'readyz',
  );
  return {
    async start() {
      if (isWarm) return;
      // A process that could not warm up is slower at first, and serves all the same.
      await run(process, systemClock.now() + limitMs).catch((error) =>
        process.logger.warn('warm-up failed', { error: String(error) }),
      );
      isWarm = true;
    },
    async stop() {},
  };
});

async function run(process: Host<(typeof NEEDS)[number]>, until: number): Promise<void> {
  const { upon, served, deps } = process.need('api');
  const { current: credentials } = process.need('credentials');
  const { authorizer } = process.need('access');
  const { serving } = process.settings;
  const token = randomBytes(32).toString('base64url');
  const server = await openWarmUpServer({ deps: upon(new ScratchStore()), authorizer, credentials, serving, token });
  const requests = new WarmUpRequests(served, deps.names);
  const address = { port: server.securePort, certificate: credentials.serving.cert, token };
  const { stopping } = process.lifecycle;
  const goesOn = () => systemClock.now() < until && !stopping.aborted;
  const connections = [openHttp1, openHttp2].flatMap((open) =>
    Array.from({ length: CONNECTIONS }, () => open(address)),
  );
  try {
    await Promise.all(
      connections.map(async (connection, at) => {
        while (goesOn()) await requests.cycle(connection, `warm-up-${at}`, goesOn);
      }),
    );
  } finally {
    process.logger.info('warmed up', { requests: requests.answered });
    for (const connection of connections) connection.close();
    await server.close(AbortSignal.abort());
  }
}
