import { join } from 'node:path';
import { type Cluster, waitUntil } from '../../../tools/up/index.js';
import { buildInformer, InformerProcess } from '../../clients/go-informer/informer-process.js';
import type { Recorded } from '../recorder.js';
import { checkInformer, type InformerReport } from '../validators/informer-store.js';
import type { Violation } from '../validators/violation.js';

const MEDIA_TYPES = ['application/json', 'application/vnd.kubernetes.protobuf'] as const;

/** V5: informers of client-go over all config maps, beside the watchers of a run. */
export class Informers {
  private constructor(private readonly processes: readonly InformerProcess[]) {}

  /** Compiles the program and starts so many of it; nothing at all for none. */
  static async start({ kubeconfig }: Cluster, dir: string, amount: number): Promise<Informers> {
    if (amount === 0) return new Informers([]);
    const program = await buildInformer(dir);
    const processes = Array.from({ length: amount }, (_, i) => {
      const contentType = MEDIA_TYPES[i % MEDIA_TYPES.length] ?? MEDIA_TYPES[0];
      return new InformerProcess({
        program,
        kubeconfig,
        namespace: '',
        contentType,
        logFile: join(dir, `informer-${i}.log`),
      });
    });
    return new Informers(processes);
  }

  /** Once nobody writes any more: waits until they hold what the database holds, and says whether they do. */
  async judge(recorded: Recorded, withinMs: number): Promise<{ violations: Violation[]; counts: Counts }> {
    const violations: Violation[] = [];
    const counts: Counts = {};
    for (const [i, informer] of this.processes.entries()) {
      const name = `informer ${i}`;
      const look = async () => checkInformer(await reportOf(name, informer), recorded);
      await waitUntil('the informer holds everything', withinMs, async () => (await look()).length === 0).catch(
        () => undefined,
      );
      violations.push(...(await look()));
      const { lists, watches, gone410, refused } = await informer.status();
      Object.assign(counts, {
        [`${name} lists`]: lists,
        [`${name} watches`]: watches,
        [`${name} 410s`]: gone410,
        [`${name} refusals`]: refused,
      });
    }
    return { violations, counts };
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((informer) => informer.stop()));
  }
}

type Counts = Record<string, number>;

async function reportOf(name: string, informer: InformerProcess): Promise<InformerReport> {
  const { gone410, synced } = await informer.status();
  return { name, synced, gone: gone410, held: new Map(Object.entries(await informer.objects())) };
}
