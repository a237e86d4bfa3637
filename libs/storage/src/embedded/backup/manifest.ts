import { createHash } from 'node:crypto';

/** The list of files that a server sends with a base backup (PostgreSQL, "Backup Manifest Format"). */
interface Manifest {
  /** SHA-256 of each file by its path, in hexadecimal; the write-ahead log is not among them. */
  readonly files: ReadonlyMap<string, string>;
}

interface ListedFile {
  readonly Path?: string;
  /** Used instead of a path that is not UTF-8. */
  readonly 'Encoded-Path'?: string;
  readonly 'Checksum-Algorithm'?: string;
  readonly Checksum?: string;
}

/** @throws Error for what is no manifest, or differs from what the server has sent */
export function parseManifest(text: Buffer): Manifest {
  const lastLine = text.lastIndexOf('"Manifest-Checksum"');
  const { Files, 'Manifest-Checksum': sum } = JSON.parse(text.toString('utf8')) as {
    readonly Files?: readonly ListedFile[];
    readonly 'Manifest-Checksum'?: string;
  };
  const found = createHash('sha256').update(text.subarray(0, lastLine)).digest('hex');
  if (Files === undefined || sum !== found)
    throw new Error('the list of files differs from what the server has written');
  return { files: new Map(Files.map(entryOf)) };
}

function entryOf({
  Path,
  'Encoded-Path': encoded = '',
  'Checksum-Algorithm': algorithm,
  Checksum = '',
}: ListedFile): [string, string] {
  const path = Path ?? Buffer.from(encoded, 'hex').toString('utf8');
  if (algorithm !== 'SHA256') throw new Error(`there is no SHA-256 of ${path}`);
  return [path, Checksum.toLowerCase()];
}
