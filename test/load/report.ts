/** A measured value of one target. */
export interface Measurement {
  readonly name: string;
  readonly unit: string;
  /** NaN where the target cannot do what was to be measured. */
  readonly value: number;
}

/** Measurements by the name of their target. */
export type Columns = ReadonlyMap<string, readonly Measurement[]>;
/** Pairs of columns of which the first is divided by the second. */
export type Ratios = readonly (readonly [target: string, reference: string])[];

/**
 * The measurements of several targets as a table, a row a name, a column a target; with ratios of pairs of columns where both
 * have a value.
 */
export function table(columns: Columns, ratios: Ratios = []): string {
  const names = [...new Set([...columns.values()].flat().map(labelOf))];
  const targets = [...columns.keys()];
  const compared = ratios.filter((pair) => pair.every((target) => columns.has(target)));
  const header = ['', ...targets, ...compared.map((pair) => pair.join(' : '))];
  const rows = names.map((name) => {
    const values = new Map(targets.map((target) => [target, measured(columns.get(target) ?? [], name)]));
    const cells = compared.map(([target, reference]) => ratio(values.get(target), values.get(reference)));
    return [name, ...targets.map((target) => format(values.get(target))), ...cells];
  });
  return align([header, ...rows]);
}

/** Returns the ratios of all other columns to one; none where that is not given. */
export const againstReference = (columns: Columns, reference?: string): Ratios =>
  reference === undefined
    ? []
    : [...columns.keys()].filter((target) => target !== reference).map((target) => [target, reference]);

function labelOf({ name, unit }: Measurement): string {
  return unit === '' ? name : `${name} [${unit}]`;
}

function measured(measurements: readonly Measurement[], label: string): number | undefined {
  return measurements.find((measurement) => labelOf(measurement) === label)?.value;
}

function ratio(value: number | undefined, base: number | undefined): string {
  if (!Number.isFinite(value) || !Number.isFinite(base) || value === undefined || base === undefined || base === 0)
    return '';
  return `${(value / base).toFixed(2)}×`;
}

export function format(value: number | undefined): string {
  if (value === undefined) return '';
  if (Number.isNaN(value)) return 'n/a';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Rows as text with columns of equal width, the first one to the left. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}
