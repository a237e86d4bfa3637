import { StatusError } from '@orch/machinery';
import { type FieldSet, pathText } from '../paths/field-set.js';
import { compareText } from '../paths/order.js';
import type { ManagerIdentifier } from './owner.js';

/** Fields of one other manager that an apply would change. */
export interface Conflict {
  /** {@link identifier} of the owner. */
  readonly id: string;
  readonly owner: ManagerIdentifier;
  readonly fields: FieldSet;
}

/** Thrown when an apply would change fields of other managers; converted to a {@link conflictStatus}. */
export class Conflicts extends Error {
  override readonly name = 'Conflicts';

  constructor(
    /** Conflicts by the identifiers of the owners; none without fields. */
    readonly conflicts: readonly Conflict[],
  ) {
    super(conflictMessage(conflicts));
  }
}

/** Another object that stands for some fields of one: a scale for replicas. */
export interface View {
  /** Version of the view: `autoscaling/v1`. */
  readonly apiVersion: string;
  /** The view's own names of the fields. */
  readonly fields: FieldSet;
}

/** Conflicts as reported to a client of a view: in its version, with its fields. */
export const seenThrough = ({ apiVersion, fields }: View, { conflicts }: Conflicts): Conflicts =>
  new Conflicts(conflicts.map(({ id, owner }) => ({ id, owner: { ...owner, apiVersion }, fields })));

/** Conflicts in the order in which they are reported. */
export const inOrder = (conflicts: readonly Conflict[]): Conflict[] =>
  [...conflicts].sort((a, b) => compareText(a.id, b.id));

/** 409 with a cause per field, in the wording that clients parse. Of very many only the first are reported. */
export function conflictStatus({ conflicts, message }: Conflicts): StatusError {
  const causes = told(conflicts).map(({ owner, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(owner)}`,
    field,
  }));
  return new StatusError('Conflict', message, { causes });
}

/** A reported conflict: a field and its manager. */
interface Told {
  readonly owner: ManagerIdentifier;
  readonly field: string;
}

/** Limits of reported fields, and of their characters: a path may be as long as a body, and so may be their number. */
const MOST_TOLD = 1_000;
const LONGEST_TOLD = 64 << 10;

/** Reports at least one, so that there is something to see. */
function told(conflicts: readonly Conflict[]): Told[] {
  const fields: Told[] = [];
  let room = LONGEST_TOLD;
  for (const one of eachField(conflicts)) {
    fields.push(one);
    room -= one.field.length + one.owner.manager.length;
    if (fields.length >= MOST_TOLD || room < 0) break;
  }
  return fields;
}

function* eachField(conflicts: readonly Conflict[]): Generator<Told> {
  for (const { owner, fields } of conflicts) {
    for (const path of fields.paths()) yield { owner, field: pathText(path) };
  }
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const total = conflicts.reduce((sum, { fields }) => sum + fields.size, 0);
  const fields = told(conflicts);
  const [only] = fields;
  if (total === 1 && only) {
    return `Apply failed with 1 conflict: conflict with ${managerText(only.owner)}: ${only.field}`;
  }
  const lines = fields.flatMap(({ owner, field }, i) => [
    ...(owner === fields[i - 1]?.owner ? [] : [`conflicts with ${managerText(owner)}:`]),
    `- ${field}`,
  ]);
  if (total > fields.length) lines.push(`and ${total - fields.length} more`);
  return `Apply failed with ${total} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: ManagerIdentifier): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
