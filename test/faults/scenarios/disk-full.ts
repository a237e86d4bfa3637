import { join } from 'node:path';
import { expectWrites } from '../stage/database-down.js';
import type { Stage } from '../stage/stage.js';
import { SmallDisk } from '../stage/tmpfs.js';
import { rest } from '../traffic/context.js';
import { scaled, tortured } from './scenario.js';

const MEBIBYTES = 400;
const PATH = '/api/v1/namespaces/default/secrets';
const LARGE = Buffer.alloc(512 << 10, 'x').toString('base64');
let disk: SmallDisk | undefined;

export const diskFull = tortured(
  {
    name: 'disk-full',
    fault:
      "the file system of PostgreSQL's data is full for a while; a server that gave up is started again, as a supervisor would",
    pass: 'V1–V4, V6, V7; writes are refused with 503 or 504 and Retry-After; after room is made they go on by themselves within 10 s',
  },
  (settings) => ({
    cluster: {
      prepare: async (dir) => {
        disk = SmallDisk.mount(join(dir, 'postgres'), MEBIBYTES);
        return async () => disk?.unmount();
      },
    },
    faults: async (stage) => {
      for (let i = 0; i < scaled(settings, 5, 1); i++) {
        await rest(stage.random.between(500, 1_500), stage.signal);
        disk?.fill();
        await expectFull(stage);
        await rest(3_000, stage.signal);
        disk?.free();
        if (!stage.cluster.postgres.running) await stage.cluster.postgres.start();
        await expectWrites(stage);
      }
    },
  }),
);

/** Writes until the database has no room: from then on the answers are refusals of the right kind. */
async function expectFull(stage: Stage): Promise<void> {
  await stage.recovers('the disk is full', 60_000, async () => {
    disk?.fill();
    const { status, headers, text } = await stage
      .api()
      .post(PATH, { metadata: { generateName: 'large-' }, data: { LARGE } });
    if (status === 201) return false;
    stage.must(
      'R.answer',
      status === 503 || status === 504,
      `a write was answered with ${status}: ${text.slice(0, 300)}`,
    );
    stage.must('R.answer', Number(headers['retry-after']) > 0, `${status} without Retry-After`);
    return true;
  });
}
