import {
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  type Names,
  notSupported,
  tooLong,
  VerbatimValue,
} from '@orch/machinery';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
}

const LEVELS: readonly FieldValidation[] = ['Ignore', 'Warn', 'Strict'];
const FIELD_MANAGER_MAX_BYTES = 128;

/**
 * `dryRun`, `fieldValidation` and `fieldManager` of a modifying request; `force` is for apply alone.
 * @param kind the options kind that errors speak of (`CreateOptions`, `UpdateOptions`, `PatchOptions`, `DeleteOptions`)
 * @throws StatusError 422 for values that the options do not take
 */
export function writeOptions(query: URLSearchParams, kind: string, names: Names): WriteOptions {
  const level = query.get('fieldValidation') || 'Warn';
  const fieldManager = query.get('fieldManager') ?? '';
  const errors: FieldError[] = [];
  const dryRun = dryRunOf(query.getAll('dryRun'), errors);
  if (!isLevel(level)) errors.push(notSupported('fieldValidation', level, LEVELS));
  if (kind === 'PatchOptions' && query.has('force')) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  if (Buffer.byteLength(fieldManager) > FIELD_MANAGER_MAX_BYTES) {
    errors.push(tooLong('fieldManager', FIELD_MANAGER_MAX_BYTES));
  } else if (/[^\P{C}]/u.test(fieldManager)) {
    errors.push(invalidValue('fieldManager', fieldManager, 'should only contain printable characters'));
  }
  if (errors.length > 0) throw invalid(kind, names.metaGroup, '', errors);
  return { dryRun, fieldValidation: level as FieldValidation, fieldManager };
}

const isLevel = (text: string): text is FieldValidation => (LEVELS as readonly string[]).includes(text);

/** No value or `All` (spec: "Dry run"); whether the request is one. */
export function dryRunOf(values: readonly string[], errors: FieldError[]): boolean {
  if (values.some((value) => value !== '' && value !== 'All')) {
    const shown = `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
    errors.push(notSupported('dryRun', new VerbatimValue(shown), ['All']));
  }
  return values.length > 0;
}
