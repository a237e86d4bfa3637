import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseManifest } from './manifest.js';
import { END_OF_TAR, paddingOf, readTar, type TarHeader, tarHeader } from './tar.js';
import { unpack } from './unpack.js';

const MODIFIED = Date.UTC(2026, 10, 28, 17) / 1000;
const fileOf = (name: string, size: number): TarHeader => ({
  name,
  kind: 'file',
  mode: 0o640,
  size,
  modified: MODIFIED,
});
const folderOf = (name: string): TarHeader => ({ name, kind: 'directory', mode: 0o700, size: 0, modified: MODIFIED });
const packed = (header: TarHeader, content: string | Buffer): Buffer[] => [
  tarHeader(header),
  Buffer.from(content),
  paddingOf(header.size),
];

/** A tar file of a folder and of files of some sizes. */
const whole = (): Buffer =>
  Buffer.concat([
    tarHeader(folderOf('data')),
    ...packed(fileOf('data/empty', 0), ''),
    ...packed(fileOf('data/small', 3), 'abc'),
    ...packed(fileOf('data/block', 512), 'x'.repeat(512)),
    END_OF_TAR,
  ]);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function entriesOf(bytes: Buffer, size = 100): Promise<[string, string, number][]> {
  const found: [string, string, number][] = [];
  for await (const { name, kind, content, mode } of readTar(inPieces(bytes, size))) {
    let text = '';
    for await (const part of content) text += part.toString('latin1');
    found.push([name, `${kind} ${text}`, mode]);
  }
  return found;
}

describe('a tar file', () => {
  it.each([1, 7, 512, 100_000])('is read in pieces of %i bytes as it was written', async (size) => {
    expect(await entriesOf(whole(), size)).toEqual([
      ['data', 'directory ', 0o700],
      ['data/empty', 'file ', 0o640],
      ['data/small', 'file abc', 0o640],
      ['data/block', `file ${'x'.repeat(512)}`, 0o640],
    ]);
  });

  it('is one for the program of that name', () => {
    const listed = execFileSync('tar', ['--utc', '--numeric-owner', '--full-time', '-tvf', '-'], {
      input: whole(),
      encoding: 'utf8',
    });
    expect(listed.split('\n').map((line) => line.split(/\s+/).join(' '))).toEqual([
      'drwx------ 0/0 0 2026-11-28 17:00:00 data/',
      '-rw-r----- 0/0 0 2026-11-28 17:00:00 data/empty',
      '-rw-r----- 0/0 3 2026-11-28 17:00:00 data/small',
      '-rw-r----- 0/0 512 2026-11-28 17:00:00 data/block',
      '',
    ]);
  });

  it('is refused where it ends early, or where a header is none', async () => {
    const bytes = whole();
    for (const length of [0, 511, 512, 1800, bytes.length - 1024]) {
      await expect(entriesOf(bytes.subarray(0, length)), `${length}`).rejects.toThrow('it is truncated');
    }
    const changed = Buffer.from(bytes);
    changed.write('X', 512);
    await expect(entriesOf(changed)).rejects.toThrow('is invalid');
    await expect(entriesOf(Buffer.alloc(2048, 'x'))).rejects.toThrow('is invalid');
  });

  it('holds files and folders alone, of names that fit', async () => {
    const linked = Buffer.from(tarHeader(fileOf('link', 0)));
    linked.write('2', 156);
    linked.write((Number.parseInt(linked.toString('latin1', 148, 154), 8) + 2).toString(8).padStart(6, '0'), 148);
    await expect(entriesOf(Buffer.concat([linked, END_OF_TAR]))).rejects.toThrow(
      'link is neither a file nor a directory',
    );
    expect(() => tarHeader(fileOf('x'.repeat(101), 0))).toThrow('does not fit');
    expect(() => tarHeader(fileOf('x', 8 ** 11))).toThrow('does not fit');
    expect(tarHeader(fileOf('x'.repeat(100), 8 ** 11 - 1))).toHaveLength(512);
  });
});

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

function manifestOf(files: readonly object[], sum?: string): Buffer {
  const head = `{ "PostgreSQL-Backup-Manifest-Version": 2,\n"Files": ${JSON.stringify(files)},\n`;
  return Buffer.from(`${head}"Manifest-Checksum": "${sum ?? sha256(head)}"}\n`);
}
const listed = (Path: string, content: string) => ({ Path, 'Checksum-Algorithm': 'SHA256', Checksum: sha256(content) });

describe('a list of files', () => {
  it('is read, names that are no UTF-8 too', () => {
    const encoded = {
      'Encoded-Path': Buffer.from('a/b').toString('hex'),
      'Checksum-Algorithm': 'SHA256',
      Checksum: 'AB',
    };
    const { files } = parseManifest(manifestOf([listed('x', 'y'), encoded]));
    expect([...files]).toEqual([
      ['x', sha256('y')],
      ['a/b', 'ab'],
    ]);
  });

  it('is refused where it was changed, or says too little', () => {
    expect(() => parseManifest(manifestOf([], sha256('else')))).toThrow('differs from what the server has written');
    expect(() => parseManifest(Buffer.from('{}'))).toThrow('differs from what the server has written');
    expect(() => parseManifest(manifestOf([{ Path: 'x', 'Checksum-Algorithm': 'CRC32C', Checksum: '1' }]))).toThrow(
      'no SHA-256',
    );
  });
});

describe('what is unpacked', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'unpack-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const identity = { name: 'self', uid: 0, gid: 0, switched: false, spawnAs: {} };
  const LIST = manifestOf([listed('a', 'abc')]);
  const list = packed(fileOf('data/backup_manifest', LIST.length), LIST);
  const tried = (...parts: Buffer[]): Promise<void> =>
    unpack(
      inPieces(Buffer.concat([tarHeader(folderOf('data')), ...parts, END_OF_TAR]), 100),
      { root, identity },
      () => undefined,
    );

  it('is what the list says', async () => {
    await tried(...packed(fileOf('data/a', 3), 'abc'), ...list);
    expect(await readdir(join(root, 'data'))).toEqual(['a']);
  });

  it.each<[string, string, Buffer[]]>([
    ['lacks its list', 'it contains no list of files', packed(fileOf('data/a', 3), 'abc')],
    ['lacks a file', 'it lacks a', list],
    ['holds other bytes', 'data/a differs from what', [...packed(fileOf('data/a', 3), 'abd'), ...list]],
    [
      'holds more',
      'data/b differs from what',
      [...packed(fileOf('data/a', 3), 'abc'), ...packed(fileOf('data/b', 1), 'b'), ...list],
    ],
    ['leaves its folder', 'is not a part of a database folder', packed(fileOf('data/../x', 1), 'b')],
    ['stands elsewhere', 'is not a part of a database folder', packed(fileOf('/etc/x', 1), 'b')],
    ['stands beside', 'is not a part of a database folder', packed(fileOf('database', 1), 'b')],
    ['holds a file twice', 'EEXIST', [...packed(fileOf('data/a', 3), 'abc'), ...packed(fileOf('data/a', 3), 'abc')]],
  ])('is refused where it %s', async (_, reason, parts) => {
    await expect(tried(...parts)).rejects.toThrow(reason);
  });
});
