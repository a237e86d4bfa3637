import { sql } from '../../faults/stage/sql.js';

/** A row of the history of a database. */
export interface Write {
  readonly version: string;
  /** Resource, for example `batch/jobs`; in the core group, `/pods`. */
  readonly resource: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** `namespace/name`. */
  readonly object: string;
  /** Paths of the members that differ from before, but those that every write changes; of a changed object only. */
  readonly members: readonly string[];
}

interface Row {
  readonly version: string;
  readonly action: number;
  readonly namespace: string;
  readonly name: string;
  readonly api_group: string;
  readonly resource: string;
  readonly body: string;
  readonly before: string | null;
}

const HISTORY = `
  SELECT c.version, c.action, c.namespace, c.name, t.api_group, t.resource,
         convert_from(c.body, 'UTF8') AS body, convert_from(p.body, 'UTF8') AS before
    FROM change c JOIN resource_type t ON t.id = c.type
    LEFT JOIN change p ON p.type = c.type AND p.version = c.prior_version
   WHERE c.version > $1 AND t.resource <> 'leases'
   ORDER BY c.version`;

const DELETED = 5;

/** Members that differ after any write. */
const ALWAYS = /^metadata\.(resourceVersion|managedFields)/;
/** Path of the field that an idle kubelet writes to its node. */
const HEARTBEAT = /^status\.conditions\.\d+\.lastHeartbeatTime$/;

/** The newest version of anything in a database, leases included. */
export async function newestVersion(url: string): Promise<string> {
  const [row] = await sql<{ version: string }>(url, 'SELECT coalesce(max(version), 0) AS version FROM change');
  return row?.version ?? '0';
}

/** Returns the writes after a version except those of leases, oldest first. */
export async function writesAfter(url: string, version: string): Promise<readonly Write[]> {
  return (await sql<Row>(url, HISTORY, [version])).map(writeOf);
}

/** Whether nothing of a node was written but that it lives. */
export function isHeartbeat({ resource, kind, members }: Write): boolean {
  return (
    resource === '/nodes' && kind === 'changed' && members.length > 0 && members.every((path) => HEARTBEAT.test(path))
  );
}

/** Whether an event has gone, as each does an hour after it was written. */
export function isExpiry({ resource, kind }: Write): boolean {
  return kind === 'removed' && (resource === '/events' || resource === 'events.k8s.io/events');
}

function writeOf({ version, action, namespace, name, api_group, resource, body, before }: Row): Write {
  const kind = action === DELETED ? 'removed' : before === null ? 'added' : 'changed';
  return {
    version,
    resource: `${api_group}/${resource}`,
    kind,
    object: `${namespace}/${name}`,
    members: kind === 'changed' ? differing(JSON.parse(before as string), JSON.parse(body)) : [],
  };
}

function differing(before: unknown, after: unknown): string[] {
  return pathsOf(before, after, '').filter((path) => !ALWAYS.test(path));
}

function pathsOf(before: unknown, after: unknown, path: string): string[] {
  if (!isParent(before) || !isParent(after)) return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => pathsOf(before[name], after[name], path === '' ? name : `${path}.${name}`));
}

/** An object or a list. */
function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
