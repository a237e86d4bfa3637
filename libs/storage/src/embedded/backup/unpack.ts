import { createHash } from 'node:crypto';
import { chown, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OsUser } from '../identity.js';
import type { ClusterFolder } from '../launch.js';
import { parseManifest } from './manifest.js';
import { DATA, LOG, MANIFEST, PASSWORD } from './names.js';
import { readTar, type TarEntry } from './tar.js';

/**
 * Extracts a backup into the folder of a cluster, as the user that the server runs as.
 * @throws Error when the backup is incomplete, or differs from what the server has sent
 */
export async function unpack(
  backup: AsyncIterable<Buffer>,
  { root, identity }: ClusterFolder,
  onEntry: () => void,
): Promise<void> {
  const pieces = backup[Symbol.asyncIterator]();
  const found = new Map<string, string>();
  let manifest: Buffer | undefined;
  for await (const entry of readTar({ [Symbol.asyncIterator]: () => pieces })) {
    refuseOutside(entry.name);
    if (entry.name === `${DATA}/${MANIFEST}`) manifest = await collect(entry);
    else if (entry.kind === 'directory') await makeDirectory(join(root, entry.name), identity);
    else
      found.set(
        entry.name,
        await writeEntry(join(root, entry.name), entry, entry.name === PASSWORD ? undefined : identity),
      );
    onEntry();
  }
  // The checksum of all bytes follows them.
  while (!(await pieces.next()).done);
  if (manifest === undefined) throw new Error('it contains no list of files');
  compare(found, parseManifest(manifest).files);
}

/** Bytes of a list of files, some 150 for each. */
const MOST_MANIFEST = 64 << 20;
/** Files that make PostgreSQL follow or wait for another server; the copy of a server of `orch standalone` has none. */
const OF_STANDBYS = ['standby.signal', 'recovery.signal'].map((name) => `${DATA}/${name}`);

function refuseOutside(name: string): void {
  if (OF_STANDBYS.includes(name)) throw new Error(`${name} shows that it is the copy of a standby`);
  const isInside = name === PASSWORD || name === DATA || name.startsWith(`${DATA}/`);
  if (!isInside || name.split('/').includes('..')) throw new Error(`${name} is not a part of a database folder`);
}

async function makeDirectory(path: string, { switched, uid, gid }: OsUser): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (switched) await chown(path, uid, gid);
}

/** @returns the SHA-256 of what was written, in hexadecimal */
async function writeEntry(path: string, { content }: TarEntry, identity: OsUser | undefined): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const part of content) {
      hash.update(part);
      await file.writeFile(part);
    }
    if (identity?.switched) await file.chown(identity.uid, identity.gid);
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function collect({ size, content }: TarEntry): Promise<Buffer> {
  if (size > MOST_MANIFEST) throw new Error('its list of files is too large');
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/** The log is not in the list; each of its records has a checksum of its own. */
function compare(found: ReadonlyMap<string, string>, listed: ReadonlyMap<string, string>): void {
  const names = [...found.keys()].filter((name) => name !== PASSWORD && !name.startsWith(`${DATA}/${LOG}/`));
  const missing = [...listed.keys()].find((name) => !found.has(`${DATA}/${name}`));
  if (missing !== undefined) throw new Error(`it lacks ${missing}`);
  const changed = names.find((name) => found.get(name) !== listed.get(name.slice(DATA.length + 1)));
  if (changed !== undefined) throw new Error(`${changed} differs from what the server has sent`);
}
