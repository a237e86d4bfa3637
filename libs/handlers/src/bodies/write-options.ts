import {
  type FieldError,
  forbiddenField,
  invalid,
  type Names,
  notSupported,
  required,
  VerbatimValue,
  validateFieldManager,
} from '@orch/machinery';

/** Treatment of unknown and duplicate fields: dropped, reported as warnings, or refused. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Options of a modifying request. */
export interface WriteOptions {
  /** Whether nothing is to be stored. */
  readonly dryRun: boolean;
  /** Treatment of unknown and duplicate fields. */
  readonly fieldValidation: FieldValidation;
  /** Name of the field manager; empty for the default, which follows from the user agent. */
  readonly fieldManager: string;
}

const LEVELS: readonly FieldValidation[] = ['Ignore', 'Strict', 'Warn'];

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Fields that others own are taken from them, where it would else be a conflict. */
  readonly force: boolean;
}

/**
 * `dryRun`, `fieldValidation` and `fieldManager` of a modifying request; `force` is for apply alone.
 * @param kind the options kind that errors speak of (`CreateOptions`, `UpdateOptions`, `PatchOptions`, `DeleteOptions`)
 * @throws StatusError 422 for values that the options do not take
 */
export function writeOptions(query: URLSearchParams, kind: string, names: Names): WriteOptions {
  const forced = kind === 'PatchOptions' && query.has('force');
  return read(query, kind, names, forced ? [forbiddenField('force', 'may not be specified for non-apply patch')] : []);
}

/**
 * The options of a server-side apply.
 * @throws StatusError 422 for values that they do not take, and without a manager
 */
export function applyOptions(query: URLSearchParams, names: Names): ApplyOptions {
  const named = (query.get('fieldManager') ?? '') !== '';
  const options = read(query, 'PatchOptions', names, named ? [] : [required('fieldManager', UNMANAGED)]);
  return { ...options, force: !UNFORCED.has((query.get('force') ?? 'false').toLowerCase()) };
}

const UNMANAGED = 'is required for apply patch';
/** Values that mean no; all others mean yes. */
const UNFORCED: ReadonlySet<string> = new Set(['0', 'false']);

function read(query: URLSearchParams, kind: string, names: Names, wrong: readonly FieldError[]): WriteOptions {
  const level = query.get('fieldValidation') || 'Warn';
  const fieldManager = query.get('fieldManager') ?? '';
  const errors: FieldError[] = [...wrong];
  const dryRun = dryRunOf(query.getAll('dryRun'), errors);
  if (!isLevel(level)) errors.push(notSupported('fieldValidation', level, ['', ...LEVELS]));
  errors.push(...validateFieldManager(fieldManager, 'fieldManager'));
  if (errors.length > 0) throw invalid(kind, names.metaGroup, '', errors);
  return { dryRun, fieldValidation: level as FieldValidation, fieldManager };
}

const isLevel = (text: string): text is FieldValidation => (LEVELS as readonly string[]).includes(text);

/** In a query no value or `All` (spec: "Dry run"); whether the request is one. */
export function dryRunOf(values: readonly string[], errors: FieldError[]): boolean {
  errors.push(...dryRunErrors(values, ''));
  return values.length > 0;
}

/** Validates values of `dryRun` as those of a body, where an empty one does not mean `All`. */
export function dryRunErrors(values: readonly string[], ...allowed: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All' || allowed.includes(value))) return [];
  const shown = `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  return [notSupported('dryRun', new VerbatimValue(shown), ['All'])];
}
