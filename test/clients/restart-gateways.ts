import type { Cluster } from '../../tools/up/index.js';

/** One of two gateways ends its watches in order and is started again, then the other, that has them all by then, is killed. */
export async function restartGateways({ gateways: [first, second] }: Pick<Cluster, 'gateways'>): Promise<void> {
  await first?.restart();
  await second?.kill('SIGKILL');
  await second?.start();
}
