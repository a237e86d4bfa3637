import type { Toleration } from '@orch/schema/types/core/v1';
import { membersOf } from '../../versioned-configuration.js';

/** Members by which tolerations are compared; an empty one equals an absent one. */
const MEMBERS = ['key', 'operator', 'value', 'effect', 'tolerationSeconds'] as const;

/**
 * Reads a toleration from text: it goes into pods, where it is not read from text again. Unknown members are left out.
 * @throws Error for an invalid one
 */
export function readToleration(value: unknown): Toleration {
  const members = membersOf(value ?? {}, 'a toleration');
  const entries = MEMBERS.flatMap((name) => {
    const member = members[name] ?? undefined;
    if (member === undefined) return [];
    if (name === 'tolerationSeconds' ? Number.isSafeInteger(member) : typeof member === 'string')
      return [[name, member]];
    throw new Error(`cannot unmarshal ${JSON.stringify(member)} into ${name} of a toleration`);
  });
  return Object.fromEntries(entries) as Toleration;
}

const isEqual = (a: Toleration, b: Toleration): boolean =>
  MEMBERS.every((member) => String(a[member] ?? '') === String(b[member] ?? ''));

/** Whether one tolerates all that another does. */
export function isSuperset(wide: Toleration, narrow: Toleration): boolean {
  if (isEqual(wide, narrow)) return true;
  const [key, otherKey] = [wide.key ?? '', narrow.key ?? ''];
  if (key !== otherKey && (key !== '' || wide.operator !== 'Exists')) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && !isAsLong(wide, narrow)) return false;
  return wide.operator === 'Exists' || (narrow.operator === 'Equal' && (wide.value ?? '') === (narrow.value ?? ''));
}

function isAsLong({ tolerationSeconds: most }: Toleration, { tolerationSeconds: wanted }: Toleration): boolean {
  return most === undefined || (wanted !== undefined && wanted <= most);
}

/** Tolerations of both, in order, without those that others of them make superfluous. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [at, one] of all.entries()) {
    const isCovered =
      merged.some((other) => isSuperset(other, one)) ||
      // Of equal ones the first stays.
      all.slice(at + 1).some((other) => !isEqual(other, one) && isSuperset(other, one));
    if (!isCovered) merged.push(one);
  }
  return merged;
}
