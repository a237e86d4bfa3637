import type { JsonObject } from '@orch/machinery';
import { unpackOwners } from '@orch/merge';
import type pg from 'pg';
import type { Change } from './model/history.js';
import { printOf, readState, type WireObject } from './model/object-state.js';

/** Operations by the value of `action` of a change. */
export const OPS: Readonly<Record<number, Change['op']>> = { 1: 'create', 3: 'update', 5: 'delete' };

/** A resource as the database names it. */
export interface StoredType {
  readonly group: string;
  readonly resource: string;
}

/** A resource as records name it. */
export const nameOf = ({ group, resource }: StoredType): string => (group === '' ? resource : `${resource}.${group}`);

const TYPE = '(SELECT id FROM resource_type WHERE api_group = $1 AND resource = $2)';

export interface ChangeRow {
  readonly version: string;
  readonly previous: string;
  readonly action: number;
  readonly body: Buffer;
  readonly owners: Buffer | null;
  readonly prior: Buffer | null;
  readonly prior_owners: Buffer | null;
  readonly prior_version: string | null;
}

/** Reads the changes of a type after a version, ascending. @param table that holds changes */
export async function readChanges(
  client: pg.Client,
  table: string,
  type: StoredType,
  after: number,
): Promise<Change[]> {
  const { rows } = await client.query<ChangeRow>(
    `SELECT version, previous, action, body, owners, prior, prior_owners, prior_version FROM ${table}
      WHERE type = ${TYPE} AND version > $3 ORDER BY version`,
    [type.group, type.resource, after],
  );
  return rows.map((row) => ({
    kind: nameOf(type),
    version: Number(row.version),
    previous: Number(row.previous),
    op: OPS[row.action] ?? 'update',
    state: parse(row.body, row.owners),
    ...(row.prior !== null && { prior: parse(row.prior, row.prior_owners), priorVersion: Number(row.prior_version) }),
  }));
}

/** The objects of a type that are there. */
export async function readObjects(client: pg.Client, type: StoredType): Promise<{ version: number; print: string }[]> {
  const { rows } = await client.query<{ version: string; body: Buffer; owners: Buffer | null }>(
    `SELECT version, body, owners FROM object WHERE type = ${TYPE}`,
    [type.group, type.resource],
  );
  return rows.map(({ version, body, owners }) => ({ version: Number(version), print: printOf(parse(body, owners)) }));
}

/** An object as it lies in the database: who owns its fields stands beside it. */
function parse(body: Buffer, owners: Buffer | null) {
  const object = JSON.parse(body.toString()) as WireObject;
  const managedFields = owners && { managedFields: JSON.parse(unpackOwners(owners).toString()) as JsonObject[] };
  return readState({ ...object, metadata: { ...object.metadata, ...managedFields } });
}
