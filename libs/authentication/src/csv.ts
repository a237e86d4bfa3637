/** A record of a CSV file and the line that it begins on (1-based). */
interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** Thrown for text that is not CSV; the message names the line. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
}

/** Reads CSV (RFC 4180; LF or CRLF; records of any length; empty lines skipped). Throws {@link CsvError}. */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  const scan = { text, at: text.startsWith('\uFEFF') ? 1 : 0, line: 1 };
  while (scan.at < text.length) {
    const line = scan.line;
    const fields = readRecord(scan);
    if (fields.length > 1 || fields[0] !== '') records.push({ line, fields });
  }
  return records;
}

interface Scan {
  readonly text: string;
  at: number;
  line: number;
}

function readRecord(scan: Scan): string[] {
  const fields: string[] = [];
  for (;;) {
    fields.push(scan.text[scan.at] === '"' ? readQuoted(scan) : readPlain(scan));
    const next = scan.text[scan.at];
    scan.at += 1;
    if (next === ',') continue;
    if (next === '\r') scan.at += 1;
    scan.line += 1;
    return fields;
  }
}

function readPlain(scan: Scan): string {
  const { text } = scan;
  const start = scan.at;
  while (scan.at < text.length && !endsField(text, scan.at)) {
    if (text[scan.at] === '"') throw new CsvError(`line ${scan.line}: quote inside a field that is not quoted`);
    scan.at += 1;
  }
  return text.slice(start, scan.at);
}

function readQuoted(scan: Scan): string {
  const { text } = scan;
  const opened = scan.line;
  let value = '';
  for (;;) {
    const close = text.indexOf('"', scan.at + 1);
    if (close < 0) throw new CsvError(`line ${opened}: quoted field is not closed`);
    const part = text.slice(scan.at + 1, close);
    scan.line += part.split('\n').length - 1;
    value += part;
    scan.at = close + 1;
    if (text[scan.at] !== '"') break;
    value += '"';
  }
  if (scan.at < text.length && !endsField(text, scan.at)) {
    throw new CsvError(`line ${scan.line}: text after a closing quote`);
  }
  return value;
}

const endsField = (text: string, at: number): boolean =>
  text[at] === ',' || text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n');
