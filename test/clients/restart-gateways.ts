import type { Cluster } from '../../tools/up/index.js';

/** Ends one gateway in an orderly way and restarts it, then kills the other, which has all watches by then. */
export async function restartGateways({ gateways: [first, second] }: Pick<Cluster, 'gateways'>): Promise<void> {
  await first?.restart();
  await second?.kill('SIGKILL');
  await second?.start();
}
