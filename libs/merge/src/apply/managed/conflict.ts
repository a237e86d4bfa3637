import { StatusError } from '@orch/machinery';
import { type FieldSet, type Path, pathText } from '../paths/field-set.js';
import { compareText } from '../paths/order.js';
import type { Identity } from './owner.js';

/** Fields of one other manager that an apply would change. */
export interface Conflict {
  /** {@link identifier} of the owner. */
  readonly id: string;
  readonly owner: Identity;
  readonly fields: FieldSet;
}

/** An apply that would change what others own. Thrown on as a {@link conflictStatus}. */
export class Conflicts extends Error {
  override readonly name = 'Conflicts';

  constructor(
    /** By the identifiers of the owners; none without fields. */
    readonly conflicts: readonly Conflict[],
  ) {
    super(conflictMessage(conflicts));
  }
}

/** Conflicts in the order in which they are told. */
export const inOrder = (conflicts: readonly Conflict[]): Conflict[] =>
  [...conflicts].sort((a, b) => compareText(a.id, b.id));

/** 409 with a cause per field, in the words that clients read conflicts from. */
export function conflictStatus({ conflicts, message }: Conflicts): StatusError {
  const causes = conflicts.flatMap(({ owner, fields }) =>
    [...fields.paths()].map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(owner)}`,
      field: pathText(path),
    })),
  );
  return new StatusError('Conflict', message, { causes });
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const all = conflicts.flatMap(({ owner, fields }) => [...fields.paths()].map((path) => ({ owner, path })));
  const [only] = all;
  if (all.length === 1 && only) {
    return `Apply failed with 1 conflict: conflict with ${managerText(only.owner)}: ${pathText(only.path)}`;
  }
  const lines = conflicts.flatMap(({ owner, fields }) => [
    `conflicts with ${managerText(owner)}:`,
    ...[...fields.paths()].map((path: Path) => `- ${pathText(path)}`),
  ]);
  return `Apply failed with ${all.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: Identity): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
