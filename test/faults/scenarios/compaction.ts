import type { ApiList, StatusObject } from '../../support/api.js';
import { printOf, readState, type WireObject } from '../model/object-state.js';
import type { List } from '../model/records.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, tortured } from './scenario.js';

const PATH = '/api/v1/configmaps';
const PAGERS = 4;

export const compaction = tortured(
  {
    name: 'compaction',
    fault: 'history is kept for a second and dropped as fast, beside slow watchers and open continue tokens',
    pass: 'V1–V7: 410 only below the floor, never silence, never a missing DELETE; a token is served whole or refused with 410 and one to go on with',
  },
  (settings) => ({
    retention: '1s',
    seconds: scaled(settings, 300, 20),
    faults: async (stage) => {
      await Promise.all(Array.from({ length: PAGERS }, () => page(stage)));
    },
  }),
);

/** Lists in small pages, slower and slower, until the time is over. */
async function page(stage: Stage): Promise<void> {
  while (!stage.over.aborted) {
    const pause = stage.random.pick([0, 200, 1_000, 3_000]);
    let answer = await stage.api().get(`${PATH}?limit=3`);
    const start = performance.now();
    const items: List['items'][number][] = [];
    let version: string | undefined;
    for (let pages = 0; pages < 100 && !stage.over.aborted; pages++) {
      if (answer.status === 410) {
        expectWayOn(stage, answer.json<StatusObject>());
        stage.measure('tokens that expired', (stage.measures['tokens that expired'] ?? 0) + 1);
        break;
      }
      stage.must('R.answer', answer.status === 200, `a page was answered with ${answer.status} ${answer.text}`);
      if (answer.status !== 200) break;
      const { metadata, items: found } = answer.json<ApiList & { readonly items: readonly WireObject[] }>();
      version ??= metadata.resourceVersion;
      for (const item of found) {
        items.push({ version: Number(item.metadata?.resourceVersion), print: printOf(readState(item)) });
      }
      stage.must(
        'V4.list',
        metadata.resourceVersion === version,
        `a page of ${metadata.resourceVersion} in a list of ${version}`,
      );
      if (!metadata.continue) {
        stage.lists.push(listOf(Number(version), items, start));
        stage.measure('lists in pages', stage.lists.length);
        break;
      }
      await rest(pause, stage.over);
      answer = await stage.api().get(`${PATH}?limit=3&continue=${encodeURIComponent(metadata.continue)}`);
    }
  }
}

/** All pages together are one list, of the version of the first: judged item by item. */
const listOf = (version: number, items: List['items'], start: number): List => ({
  kind: 'configmaps',
  client: 'pager',
  server: 'any',
  selection: {},
  asked: 'any',
  known: 0,
  start,
  end: performance.now(),
  version,
  items,
});

/** A token that has expired is refused with another by which the client may go on at a newer version. */
function expectWayOn(stage: Stage, { reason, metadata }: StatusObject): void {
  stage.must('R.answer', reason === 'Expired', `410 with the reason ${reason}`);
  stage.must('R.answer', Boolean(metadata.continue), '410 for a continue token without another one');
}
