import { createCopies, expectWritten, inDatabase } from '../support/copies.js';
import { Connection, type Endpoint, requestBytes } from './connection.js';
import { fill, type RequestWorker } from './requests.js';
import { namespaceOf, type Resource } from './resource.js';
import { now } from './summary.js';
import type { Target } from './target.js';

const TEMPLATE = 'bulk-template';
const CAUGHT_UP_MS = 300_000;
const WRITERS = 16;

/** Updates of all objects of the type of template $2 in namespace $1, each to what it is. */
const UPDATE = `
WITH arrays AS (
  SELECT array_agg(DISTINCT o.type) AS types, array_agg(1::smallint) AS ones, array_agg(3::smallint) AS actions,
         array_agg(o.namespace) AS namespaces, array_agg(o.name) AS names, array_agg(o.uid) AS uids,
         array_agg(o.version) AS versions, array_agg(o.stored_version) AS stored_versions, array_agg(o.defaults) AS defaults,
         array_agg(o.body) AS bodies, array_agg(o.owners) AS owners
    FROM object o WHERE o.namespace = $1 AND o.type = (SELECT type FROM object WHERE namespace = $1 AND name = $2))
SELECT count(*) AS written FROM arrays,
  commit_writes(NULL, types, '{}', 0, ones, actions, namespaces, names, uids, versions, stored_versions, defaults,
                bodies, owners, ones)
 WHERE o_outcome = 1`;

/** Creates `count` objects `PREFIX0` and so on: through the database where it is ours, else as clients do. */
export async function grow(worker: RequestWorker, target: Target, prefix: string, count: number): Promise<void> {
  if (!target.own) return fill(worker, target, count, { prefix });
  const { endpoint, resource, own } = target;
  const namespace = namespaceOf(resource);
  await fill(worker, target, 1, { prefix: `${TEMPLATE}-${prefix}` });
  const copies = { namespace, of: `${TEMPLATE}-${prefix}-0`, prefix: `${prefix}-`, count };
  await inDatabase(own.databaseDir, (database) => createCopies(database, copies));
  await caughtUp(endpoint, resource);
}

/** Makes `count` changes to `objects` objects `PREFIX-0` and so on; in our database to all of their namespace. */
export async function age(
  worker: RequestWorker,
  target: Target,
  prefix: string,
  objects: number,
  count: number,
): Promise<void> {
  const { endpoint, resource, own } = target;
  if (own) {
    await inDatabase(own.databaseDir, async (database) => {
      for (let done = 0; done < count; done += objects) {
        await expectWritten(database, UPDATE, [namespaceOf(resource), `${prefix}-0`], objects);
      }
    });
    return caughtUp(endpoint, resource);
  }
  const load = { verb: 'update', prefix, objects, requesters: WRITERS, seconds: 3600, count } as const;
  const { failed } = await worker.call('run', { endpoint, resource, ...load });
  if (failed > 0) throw new Error(`${failed} of ${count} updates failed`);
}

/** Waits until the server serves what the database holds. */
async function caughtUp(endpoint: Endpoint, { path }: Resource): Promise<void> {
  const connection = await Connection.open(endpoint);
  const deadline = now() + CAUGHT_UP_MS;
  for (;;) {
    const { status } = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
    if (status === 200) break;
    if (now() > deadline) throw new Error(`${path}: still ${status}`);
  }
  connection.close();
}
