import type { ApiObject, JsonObject, JsonValue } from '@orch/machinery';
import { parseTime, TimeError } from '@orch/machinery';
import type { Column } from '@orch/schema';
import type { Cell } from '../rules/kind-rules.js';
import { humanDuration } from '../values/age.js';
import { UNKNOWN } from '../values/text.js';
import {
  findAll,
  type JsonPath,
  JsonPathError,
  PathReading,
  parseJsonPath,
  RowEffort,
  shownText,
} from './json-path/index.js';

/** A column of `additionalPrinterColumns` in a definition, of a valid one. */
export interface PrinterColumn {
  /** Name of the column. */
  readonly name: string;
  /** `integer`, `number`, `string`, `boolean` or `date`. */
  readonly type: string;
  /** Format of the values, as in OpenAPI. */
  readonly format?: string;
  /** Description of the column. */
  readonly description?: string;
  /** Priority; columns above 0 are shown in wide tables only. */
  readonly priority?: number;
  /** JSONPath of the value, from the object. */
  readonly jsonPath: string;
}

/** The columns of tables of a custom kind after the name. */
export interface PrinterColumns {
  /** Descriptions of the columns. */
  readonly columns: readonly Column[];
  /** Returns a cell for each column; null for an empty one. @param now milliseconds since 1970 */
  cells(object: ApiObject, now: number): Cell[];
}

/** The columns of a version that declares none. */
const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description:
    'When the object was made by the server, in UTC; empty for lists. Objects made within one second may have equal times.',
  jsonPath: '.metadata.creationTimestamp',
};

/**
 * The columns of one version of a definition, up to the first whose path cannot be read: definitions may hold such
 * paths.
 * @param declared those of the version; the age alone where there are none
 * @param reading of the paths of other versions; default of a version that is alone
 */
export function printerColumns(declared: readonly PrinterColumn[], reading = new PathReading()): PrinterColumns {
  const columns = readColumns(declared.length > 0 ? declared : [AGE], reading);
  return {
    columns: columns.map(({ column }) => columnOf(column)),
    cells(object, now) {
      const row = new RowEffort();
      return columns.map(({ column, path }) => cellOf(object as JsonObject, column.type, path, now, row));
    },
  };
}

interface ReadColumn {
  readonly column: PrinterColumn;
  readonly path: JsonPath;
}

function readColumns(declared: readonly PrinterColumn[], reading: PathReading): ReadColumn[] {
  const read: ReadColumn[] = [];
  try {
    for (const column of declared) read.push({ column, path: parseJsonPath(column.jsonPath, reading) });
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
  }
  return read;
}

const columnOf = ({ name, type, format = '', description, priority = 0, jsonPath }: PrinterColumn): Column => ({
  name,
  type,
  format,
  description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority,
});

function cellOf(object: JsonObject, type: string, path: JsonPath, now: number, row: RowEffort): Cell {
  const [value] = findAll(object, path, row);
  if (value === undefined) return null;
  if (type === 'string') return shownText(value, row);
  if (type === 'integer')
    return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
  if (type === 'number') return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null;
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return type === 'date' ? ageOf(value, now) : null;
}

function ageOf(value: JsonValue, now: number): Cell {
  if (typeof value !== 'string') return null;
  if (value === '' || value === 'null') return UNKNOWN;
  try {
    return humanDuration(now - parseTime(value));
  } catch (error) {
    if (error instanceof TimeError) return '<invalid>';
    throw error;
  }
}
