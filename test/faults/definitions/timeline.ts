import type pg from 'pg';
import { OPS } from '../stored.js';
import { type Facet, facetsOf, type StoredDefinition } from './facets.js';

/** A definition between two of its writes. */
export interface DefinitionState {
  /** Version of the write that began this state; 0 before the first. */
  readonly version: number;
  /** Monotonic ms: right before the write was committed, and before the next one was. */
  readonly from: number;
  readonly until: number;
  /** UID of the existing definition; undefined if there is none. */
  readonly uid: string | undefined;
  readonly isEstablished: boolean;
  readonly isTerminating: boolean;
  /** The number that objects are given. */
  readonly number: number | undefined;
  /** Equal where the same is served: what is served otherwise ends watches. */
  readonly served: string;
  /** Returns what clients must find; undefined if anything is allowed. */
  facet(facet: Facet): string | undefined;
}

interface Row {
  readonly version: string;
  readonly at: string;
  readonly action: number;
  readonly name: string;
  readonly body: Buffer;
}

/**
 * All states of all definitions, by name, each from before the first one to the end.
 * @param monotonic milliseconds of this process at 1970
 */
export async function readTimelines(
  client: pg.Client,
  monotonic: number,
): Promise<ReadonlyMap<string, readonly DefinitionState[]>> {
  const { rows } = await client.query<Row>(
    `SELECT version, at, action, name, body FROM change
      WHERE type = (SELECT id FROM resource_type WHERE resource = 'customresourcedefinitions') ORDER BY version`,
  );
  const byName = new Map<string, Row[]>();
  for (const row of rows) byName.set(row.name, [...(byName.get(row.name) ?? []), row]);
  return new Map([...byName].map(([name, some]) => [name, statesOf(some, monotonic)]));
}

function statesOf(rows: readonly Row[], monotonic: number): DefinitionState[] {
  const times = rows.map(({ at }) => Number(at) + monotonic);
  const until = (at: number) => times[at + 1] ?? Number.POSITIVE_INFINITY;
  const states = rows.map((row, at) => stateOf(row, times[at] ?? 0, until(at)));
  return [absent(0, Number.NEGATIVE_INFINITY, until(-1)), ...states];
}

function stateOf({ version, action, body }: Row, from: number, until: number): DefinitionState {
  if (OPS[action] === 'delete') return absent(Number(version), from, until);
  const definition = JSON.parse(body.toString()) as StoredDefinition;
  return { version: Number(version), from, until, ...facetsOf(definition) };
}

/** There is no definition. */
export function absent(version: number, from: number, until: number): DefinitionState {
  const none = { uid: undefined, isEstablished: false, isTerminating: false, number: undefined };
  return { version, from, until, ...none, served: 'absent', facet: () => 'absent' };
}
