import { randomBytes } from 'node:crypto';
import { sleep, systemClock } from '@orch/runtime';
import { ScratchStore } from '../warm-up/scratch-store.js';
import { openHttp1, openHttp2, type WarmUpConnection } from '../warm-up/warm-up-connection.js';
import { WarmUpRequests } from '../warm-up/warm-up-requests.js';
import { openWarmUpServer } from '../warm-up/warm-up-server.js';
import { declare, type Host } from './process.js';

const NEEDS = ['api', 'access', 'credentials'] as const;

/** Connections of each version of HTTP. */
const CONNECTIONS = 8;
/** Milliseconds beyond the limit for the last answers. */
const GRACE_MS = 1_000;

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
      await run(process, limitMs).catch((error: unknown) => warn(process, error));
      isWarm = true;
    },
    async stop() {},
  };
});

const warn = ({ logger }: Pick<Host<never>, 'logger'>, error: unknown): void =>
  logger.warn('warm-up failed', { error: String(error) });

async function run(process: Host<(typeof NEEDS)[number]>, limitMs: number): Promise<void> {
  const { upon, served, deps } = process.need('api');
  const { current: credentials } = process.need('credentials');
  const { authorizer } = process.need('access');
  const { settings, lifecycle, logger } = process;
  const until = systemClock.now() + limitMs;
  const token = randomBytes(32).toString('base64url');
  const parts = { deps: upon(new ScratchStore()), authorizer, credentials, serving: settings.serving, token };
  const server = await openWarmUpServer(parts);
  const connections: WarmUpConnection[] = [];
  const requests = new WarmUpRequests(served, deps.names, (error) => warn(process, error));
  const goesOn = () => systemClock.now() < until && !lifecycle.stopping.aborted;
  try {
    const address = { port: server.securePort, certificate: credentials.serving.cert, token };
    for (const open of [openHttp1, openHttp2]) for (let at = 0; at < CONNECTIONS; at++) connections.push(open(address));
    const running = connections.map((each, at) => requests.run(each, `warm-up-${at}`, goesOn));
    // A request that is not answered holds nothing up.
    await Promise.race([Promise.all(running), sleep(systemClock, limitMs + GRACE_MS, lifecycle.stopping)]);
    logger.info('warmed up', { requests: requests.answered });
  } finally {
    for (const connection of connections) connection.close();
    await server.close(AbortSignal.abort());
  }
}
