import type { Readable } from 'node:stream';

/** Characters of the size of a terminal, at most. */
const MOST_TEXT = 1024;
const MOST_CELLS = 65_535;

/** Reads the sizes of a client's terminal: objects in JSON, one behind another. What is none is passed over. */
export function readSizes(from: Readable | undefined, onSize: (columns: number, rows: number) => void): void {
  let text = '';
  from?.on('error', () => undefined);
  from?.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    const pieces = text.split('}');
    text = (pieces.pop() ?? '').slice(0, MOST_TEXT);
    for (const piece of pieces) {
      const size = sizeOf(`${piece.slice(0, MOST_TEXT)}}`);
      if (size) onSize(...size);
    }
  });
}

function sizeOf(text: string): [number, number] | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    return isCount(columns) && isCount(rows) ? [columns, rows] : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= MOST_CELLS;
