import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A record of the log of the kernel. */
export interface KernelRecord {
  /** Microseconds from the start of the machine to the record. */
  readonly at: number;
  /** Text of the record. */
  readonly text: string;
}

/** Log of the kernel, read from its beginning on. */
export interface KernelLog {
  /** Returns the records that came since the last call. */
  read(): Promise<KernelRecord[]>;
  /** Ends the reads. */
  close(): Promise<void>;
}

/** Bytes of a record, at most. */
const RECORD_BYTES = 8 << 10;
/** Records that are read at a time: somebody may write them faster than they are read. */
const MAX_RECORDS = 10_000;

/** Opens the log of the kernel. Rejects where there is none, or no right to it. */
export async function openKernelLog(path = '/dev/kmsg'): Promise<KernelLog> {
  // Without blocking: a read would wait for the next record.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read: () => readRecords(file), close: () => file.close() };
}

async function readRecords(file: FileHandle): Promise<KernelRecord[]> {
  const records: KernelRecord[] = [];
  const buffer = Buffer.alloc(RECORD_BYTES);
  while (records.length < MAX_RECORDS) {
    const text = await readOne(file, buffer);
    if (text === undefined) break;
    const record = parseRecord(text);
    if (record) records.push(record);
  }
  return records;
}

/** Returns one record, which a read gives; empty for one that was overwritten, undefined at the end. */
async function readOne(file: FileHandle, buffer: Buffer): Promise<string | undefined> {
  try {
    const { bytesRead } = await file.read(buffer, 0, RECORD_BYTES, null);
    return bytesRead === 0 ? undefined : buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return undefined;
    if (code === 'EPIPE') return '';
    throw error;
  }
}

/** Parses `priority,sequence,microseconds,flags;text`; undefined for other lines. */
function parseRecord(line: string): KernelRecord | undefined {
  const [, at, text] = /^\d+,\d+,(\d+),[^;]*;([^\n]*)/.exec(line) ?? [];
  return at === undefined || text === undefined ? undefined : { at: Number(at), text };
}
