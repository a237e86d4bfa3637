import type { ApiObject } from '@orch/machinery';

/** Thrown for an answer that must not be. */
export class RoundTripError extends Error {
  override readonly name = 'RoundTripError';
}

/** @throws RoundTripError with both when two objects differ in more than zeros and the order of names */
export function expectSame(encoding: string, found: ApiObject, expected: ApiObject): void {
  const [one, other] = [canonical(found), canonical(expected)];
  if (one !== other) throw new RoundTripError(`as ${encoding} it is ${one}, as JSON ${other}`);
}

/** With names in order, as maps have none in the binary form, and without zeros, of which each form leaves out others. */
export function canonical(value: unknown): string {
  return JSON.stringify(withoutZeros(value) ?? null);
}

function withoutZeros(value: unknown): unknown {
  if (value === 0 || value === '' || value === false || value === null) return undefined;
  if (typeof value !== 'object') return value;
  // Items stay, as their places count.
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutZeros(item) ?? null);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutZeros(name === 'volumeClaimTemplates' ? (member as object[]).map(withoutType) : member);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Objects within objects have no type in the binary form. */
function withoutType(template: object): object {
  const { apiVersion: _version, kind: _kind, ...rest } = template as { apiVersion?: string; kind?: string };
  return rest;
}
