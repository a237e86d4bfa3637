import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Members of a file by which an agent knows again what it has given to containers. */
interface Checkpoint {
  /** Policy that wrote it. */
  readonly policyName: string;
  /** Sum of the members, without itself. */
  readonly checksum: number;
}

/** Returns the sum of a text that files of this kind have: FNV-1a of 32 bits. */
function checksumOf(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}

/** Writes a map as the text that the sum is made of: keys in order. */
export const mapText = <T>(entries: Iterable<readonly [string | number, T]>, text: (value: T) => string): string =>
  `map[${[...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}:${text(value)}`)
    .join(' ')}]`;

/**
 * Reads a checkpoint; undefined if there is none.
 * @param text returns the text that its sum is made of
 * @throws Error for one of another policy, and for one that is damaged
 */
export function readCheckpoint<T extends Checkpoint>(
  file: string,
  policy: string,
  text: (checkpoint: T) => string,
): T | undefined {
  const content = contentOf(file);
  if (content === undefined) return undefined;
  const checkpoint = parsed<T>(content);
  if (!checkpoint || (checkpoint.checksum !== 0 && checkpoint.checksum !== checksumOf(text(checkpoint))))
    throw new Error(`checkpoint is corrupted, ${advice(file)}`);
  if (checkpoint.policyName !== policy)
    throw new Error(
      `configured policy "${policy}" differs from state checkpoint policy "${checkpoint.policyName}", ${advice(file)}`,
    );
  return checkpoint;
}

/** Replaces a checkpoint as a whole. */
export function writeCheckpoint<T extends Omit<Checkpoint, 'checksum'>>(
  file: string,
  members: T,
  text: (members: T) => string,
): void {
  const checkpoint = { ...members, checksum: checksumOf(text(members)) };
  writeFileSync(`${file}.new`, JSON.stringify(checkpoint), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Writes the checkpoint of a policy that gives nothing away. @throws Error where another policy has written one */
export function noPolicy<T extends Omit<Checkpoint, 'checksum'>>(
  file: string,
  members: T,
  text: (members: T) => string,
): void {
  readCheckpoint<T & Checkpoint>(file, members.policyName, text);
  writeCheckpoint(file, members, text);
}

/** Returns the advice for a file that cannot be used. */
const advice = (file: string): string => `please drain this node and delete the file ${file} before starting the agent`;

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parsed<T extends Checkpoint>(content: string): T | undefined {
  try {
    const value = JSON.parse(content) as T | null;
    return typeof value === 'object' && value !== null && typeof value.policyName === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
