import pg from 'pg';
import { History } from '../model/history.js';
import type { Write } from '../model/records.js';
import { readChanges, readObjects } from '../stored.js';
import type { Made } from '../validators/served.js';
import type { ChangingKind } from './changing-kind.js';
import { type DefinitionState, readTimelines } from './timeline.js';

/** The final contents of the database for a custom kind and its definition. */
export interface KindRecord {
  readonly kind: ChangingKind;
  readonly states: readonly DefinitionState[];
  readonly history: History;
  readonly objects: readonly { readonly version: number; readonly print: string }[];
  readonly made: readonly Made[];
}

/** @param monotonic milliseconds of this process at 1970 */
export async function readRecords(
  url: string,
  kinds: readonly ChangingKind[],
  monotonic: number,
): Promise<KindRecord[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=cluster' });
  await client.connect();
  try {
    const timelines = await readTimelines(client, monotonic);
    const records: KindRecord[] = [];
    for (const kind of kinds) {
      const type = { group: kind.group, resource: kind.plural };
      records.push({
        kind,
        states: timelines.get(kind.name) ?? [],
        history: new History(kind.name, await readChanges(client, 'change', type, 0)),
        objects: await readObjects(client, type),
        made: await readMade(client, kind, monotonic),
      });
    }
    return records;
  } finally {
    await client.end();
  }
}

async function readMade(client: pg.Client, { group, plural }: ChangingKind, monotonic: number): Promise<Made[]> {
  const { rows } = await client.query<{ version: string; at: string; body: Buffer }>(
    `SELECT version, at, body FROM change
      WHERE type = (SELECT id FROM resource_type WHERE api_group = $1 AND resource = $2) AND action = 1 ORDER BY version`,
    [group, plural],
  );
  return rows.map(({ version, at, body }) => {
    const { spec } = JSON.parse(body.toString()) as { spec?: { number?: number } };
    return { version: Number(version), at: Number(at) + monotonic, number: spec?.number };
  });
}

/**
 * Returns the deletions that follow from deleting the definition: each object at most once, until the definition is
 * gone.
 */
export function emptyings({ history, states }: KindRecord): Write[] {
  const ends = states.filter(({ isTerminating }, at) => isTerminating && !states[at - 1]?.isTerminating);
  return ends.flatMap(({ uid, from }) =>
    [...history.keys()].map((key): Write => {
      const outcome = { at: 'unknown' } as const;
      return {
        kind: history.kind,
        key,
        call: 'delete',
        stamp: `with ${uid}`,
        start: from,
        end: Number.POSITIVE_INFINITY,
        outcome,
      };
    }),
  );
}
