import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeImage, ImageStore } from './image-store.js';

type Entry = {
  path: string;
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link';
  text?: string;
  to?: string;
  mode?: number;
};

const LIMITS = { bytes: 1_000_000, entries: 100 };
let dir: string;
let errors: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-images-'));
  errors = [];
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Bytes of an archive, exactly as told: no tool would make some of them. */
function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = 'File', text = '', to, mode = 0o644 }) => {
    const size = Buffer.byteLength(text);
    const header = Buffer.alloc(512);
    new Header({
      path,
      type,
      mode,
      size,
      uid: 0,
      gid: 0,
      mtime: new Date(0),
      ...(to !== undefined && { linkpath: to }),
    }).encode(header);
    return [header, Buffer.from(text), Buffer.alloc((512 - (size % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const sha = (bytes: Buffer | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Made {
  readonly layers: readonly (readonly Entry[])[];
  readonly name?: string;
  readonly gzip?: boolean;
  readonly config?: unknown;
  readonly change?: (blobs: Map<string, Buffer>) => void;
}

/** Lengthens the layer by an amount of zeros that take no room in it. */
function lengthened(blobs: Map<string, Buffer>): void {
  for (const [path, bytes] of blobs)
    if (bytes[0] === 0x1f) blobs.set(path, Buffer.concat([bytes, gzipSync(Buffer.alloc(3 * LIMITS.bytes))]));
}

/** Files of a layout by their paths. */
function layout({
  layers,
  name = 'localhost/made:1',
  gzip = false,
  config: defaults = { User: '1000', Env: ['A=b'] },
  change,
}: Made): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  const put = (bytes: Buffer): { digest: string; size: number } => {
    blobs.set(`blobs/sha256/${sha(bytes).slice(7)}`, bytes);
    return { digest: sha(bytes), size: bytes.length };
  };
  const json = (value: unknown) => put(Buffer.from(JSON.stringify(value)));
  const bytes = layers.map(tar);
  const config = json({ config: defaults, rootfs: { type: 'layers', diff_ids: bytes.map(sha) } });
  const mediaType = `application/vnd.oci.image.layer.v1.tar${gzip ? '+gzip' : ''}`;
  const stored = bytes.map((each) => ({ mediaType, ...put(gzip ? gzipSync(each) : each) }));
  const manifest = json({ config: { mediaType: 'config', ...config }, layers: stored });
  const annotations = { 'io.containerd.image.name': name };
  blobs.set('index.json', Buffer.from(JSON.stringify({ manifests: [{ mediaType: 'm', ...manifest, annotations }] })));
  blobs.set('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  change?.(blobs);
  return blobs;
}

function archive(made: Made, name = 'made.tar'): void {
  const entries = [...layout(made)].map(([path, bytes]) => ({ path, text: bytes.toString('latin1') }));
  const blocks = entries.map(({ path, text }) => ({ path, bytes: Buffer.from(text, 'latin1') }));
  const parts = blocks.flatMap(({ path, bytes }) => {
    const header = Buffer.alloc(512);
    new Header({ path, type: 'File', mode: 0o644, size: bytes.length, mtime: new Date(0) }).encode(header);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  mkdirSync(join(dir, 'source'), { recursive: true });
  writeFileSync(join(dir, 'source', name), Buffer.concat([...parts, Buffer.alloc(1024)]));
}

async function loaded(limits = LIMITS): Promise<ImageStore> {
  const onError = ({ message }: Error) => void errors.push(message);
  const store = new ImageStore({ folder: join(dir, 'store'), source: join(dir, 'source'), limits, onError });
  await store.load();
  return store;
}

const rootOf = async (made: Made): Promise<string> => {
  archive(made);
  return (await loaded()).find('localhost/made:1')?.root ?? '';
};

describe('images of a folder', () => {
  it.each([false, true])('are unpacked layer by layer (compressed: %s)', async (gzip) => {
    const layers: Entry[][] = [
      [
        { path: './', type: 'Directory', mode: 0o755 },
        { path: './bin', type: 'Directory', mode: 0o755 },
        { path: './bin/a', text: 'one', mode: 0o4755 },
        { path: 'bin/b', type: 'SymbolicLink', to: '/bin/a' },
        { path: 'bin/c', type: 'Link', to: 'bin/a' },
        { path: 'fixed/', type: 'Directory', mode: 0o555 },
        { path: 'fixed/in', text: 'x' },
      ],
      [{ path: 'bin/a', text: 'two' }],
    ];
    const root = await rootOf({ layers, gzip });
    expect(errors).toEqual([]);
    expect(readFileSync(join(root, 'bin/a'), 'utf8')).toBe('two');
    expect(readFileSync(join(root, 'bin/c'), 'utf8')).toBe('one');
    expect(lstatSync(join(root, 'bin/c')).mode & 0o7777).toBe(0o4755);
    expect(readlinkSync(join(root, 'bin/b'))).toBe('/bin/a');
    expect(lstatSync(join(root, 'fixed')).mode & 0o777).toBe(0o555);
  });

  it('lose what upper layers take away, and nothing of these', async () => {
    const lower = ['a', 'b', 'd/old', 'd/sub/old'].map((path) => ({ path, text: 'lower' }));
    const upper: Entry[] = [
      { path: '.wh.a' },
      { path: 'd/new', text: 'upper' },
      { path: 'd/sub/new', text: 'upper' },
      { path: 'd/.wh..wh..opq' },
      { path: 'b', text: 'upper' },
      { path: '.wh.b' },
    ];
    const root = await rootOf({ layers: [lower, upper] });
    expect(readdirSync(root).sort()).toEqual(['b', 'd']);
    expect(readdirSync(join(root, 'd')).sort()).toEqual(['new', 'sub']);
    expect(readdirSync(join(root, 'd/sub'))).toEqual(['new']);
  });

  it('are described with their names, digests and user, and stay for another process', async () => {
    archive({ layers: [[{ path: 'a', text: 'abc' }]] });
    const first = (await loaded()).find('localhost/made:1');
    const store = await loaded();
    const again = store.find('localhost/made:1');
    expect(again).toEqual(first);
    const described = again && describeImage(again);
    expect(described).toMatchObject({ repoTags: ['localhost/made:1'], size: 3, uid: 1000, pinned: false });
    expect(described?.repoDigests[0]).toMatch(/^localhost\/made@sha256:/);
    expect(store.find(described?.repoDigests[0] ?? '')).toEqual(again);
    expect(store.find(again?.id ?? '')).toEqual(again);
    await store.remove('localhost/made:1');
    expect(store.list()).toEqual([]);
    expect(readdirSync(join(dir, 'store'))).toEqual([]);
  });

  it('may be folders: in the layout, or the root itself', async () => {
    for (const [path, bytes] of layout({ layers: [[{ path: 'a', text: 'abc' }]] })) {
      mkdirSync(dirname(join(dir, 'source/layout', path)), { recursive: true });
      writeFileSync(join(dir, 'source/layout', path), bytes);
    }
    mkdirSync(join(dir, 'source/plain/bin'), { recursive: true });
    const store = await loaded();
    expect(store.find('localhost/plain')?.root).toBe(join(dir, 'source/plain'));
    expect(existsSync(join(store.find('localhost/made:1')?.root ?? '', 'a'))).toBe(true);
    await store.remove('localhost/plain');
    expect(existsSync(join(dir, 'source/plain/bin'))).toBe(true);
  });

  it('have a name only once: the one that was loaded last has it', async () => {
    archive({ layers: [[{ path: 'a', text: 'first' }]] }, 'a.tar');
    archive({ layers: [[{ path: 'a', text: 'second' }]] }, 'b.tar');
    const store = await loaded();
    expect(readFileSync(join(store.find('localhost/made:1')?.root ?? '', 'a'), 'utf8')).toBe('second');
    expect(store.list().flatMap(({ names }) => names)).toEqual(['localhost/made:1']);
  });
});

describe('hostile images', () => {
  it.each<[string, Entry[]]>([
    ['by their paths', [{ path: '../../out', text: 'x' }]],
    ['by absolute paths', [{ path: '/../../out', text: 'x' }]],
    [
      'through a link',
      [
        { path: 'l', type: 'SymbolicLink', to: '../../..' },
        { path: 'l/out', text: 'x' },
      ],
    ],
    [
      'through an absolute link',
      [
        { path: 'l', type: 'SymbolicLink', to: '/tmp' },
        { path: 'l/out', text: 'x' },
      ],
    ],
    [
      'through a chain of links',
      [
        { path: 'a', type: 'SymbolicLink', to: '..' },
        { path: 'b', type: 'SymbolicLink', to: 'a/..' },
        { path: 'b/out', text: 'x' },
      ],
    ],
  ])('write nothing outside of their root %s', async (_, layer) => {
    const root = await rootOf({ layers: [layer] });
    expect(errors).toEqual([]);
    // It follows no links.
    const found = execFileSync('find', [root, '-name', 'out'], { encoding: 'utf8' }).trim().split('\n');
    expect(found).toEqual([expect.stringContaining('out')]);
    expect(readdirSync(dir).sort()).toEqual(['source', 'store']);
    expect(existsSync('/tmp/out')).toBe(false);
  });

  it('remove nothing outside of their root', async () => {
    writeFileSync(join(dir, 'kept'), 'x');
    await rootOf({
      layers: [
        [{ path: 'l', type: 'SymbolicLink', to: '../../..' }],
        [{ path: 'l/.wh.kept' }, { path: '../../../.wh.kept' }, { path: 'l/.wh..wh..opq' }, { path: '.wh...' }],
      ],
    });
    expect(readFileSync(join(dir, 'kept'), 'utf8')).toBe('x');
    expect(readdirSync(dir).sort()).toEqual(['kept', 'source', 'store']);
  });

  it.each<[string, Made, RegExp]>([
    ['link to files outside', { layers: [[{ path: 'p', type: 'Link', to: '../../../../../etc/passwd' }]] }, /no file/],
    [
      'loop',
      {
        layers: [
          [
            { path: 'l', type: 'SymbolicLink', to: 'l' },
            { path: 'l/x', text: 'x' },
          ],
        ],
      },
      /too many/,
    ],
    [
      'are too large',
      {
        layers: [
          [
            { path: 'x', text: 'x'.repeat(600_000) },
            { path: 'y', text: 'x'.repeat(600_000) },
          ],
        ],
      },
      /bytes/,
    ],
    [
      'are too large once they are unpacked',
      { gzip: true, layers: [[{ path: 'x', text: 'x'.repeat(1_000_001) }]] },
      /bytes/,
    ],
    [
      'go on behind their end',
      { gzip: true, layers: [[{ path: 'x', text: 'x' }]], change: lengthened },
      /an archive of more than/,
    ],
    ['have too many folders', { layers: [[{ path: 'x/'.repeat(102) }]] }, /more than 100/],
    ['have too many files', { layers: [Array.from({ length: 101 }, (_, n) => ({ path: `${n}` }))] }, /more than 100/],
    [
      'have another content than their digest',
      {
        layers: [[{ path: 'a', text: 'abc' }]],
        change: (blobs) => {
          for (const [path, bytes] of blobs)
            if (bytes.length === 2048) blobs.set(path, tar([{ path: 'b', text: 'abc' }]));
        },
      },
      /has the content of/,
    ],
    [
      'name blobs outside',
      {
        layers: [[{ path: 'a' }]],
        change: (blobs) => {
          const manifests = [{ mediaType: 'm', digest: 'sha256:../../../../etc/passwd', size: 1 }];
          blobs.set('index.json', Buffer.from(JSON.stringify({ manifests })));
        },
      },
      /no SHA-256 digest/,
    ],
    ['have no index', { layers: [], change: (blobs) => blobs.delete('index.json') }, /index\.json/],
  ])('that %s are refused, and leave nothing', async (_, made, words) => {
    archive(made);
    const store = await loaded();
    expect(store.list()).toEqual([]);
    expect(errors).toEqual([expect.stringMatching(words)]);
    expect(readdirSync(join(dir, 'store'))).toEqual([]);
  });

  it('that are no archives do not keep others from being loaded', async () => {
    archive({ layers: [[{ path: 'a', text: 'abc' }]] });
    writeFileSync(join(dir, 'source/a.tar'), 'no archive '.repeat(100));
    writeFileSync(join(dir, 'source/b.tar'), '');
    const store = await loaded();
    expect(store.list()).toHaveLength(1);
    expect(errors).toHaveLength(2);
  });

  it('change no modes of folders outside, also not of those that become links later', async () => {
    mkdirSync(join(dir, 'outside/kept'), { recursive: true, mode: 0o700 });
    await rootOf({
      layers: [
        [{ path: 'l/kept', type: 'Directory', mode: 0o777 }],
        [{ path: 'l', type: 'SymbolicLink', to: join(dir, 'outside') }],
      ],
    });
    expect(errors).toEqual([]);
    expect(lstatSync(join(dir, 'outside/kept')).mode & 0o777).toBe(0o700);
  });

  it('whose sizes are no whole numbers are refused', async () => {
    const pax = Buffer.from('12 size=1.5\n');
    const layer: Entry[] = [
      { path: 'x', text: pax.toString(), type: 'ExtendedHeader' as 'File' },
      { path: 'd', text: 'abc' },
    ];
    archive({ layers: [layer] });
    await loaded();
    expect(errors).toEqual([expect.stringMatching(/size/)]);
  });

  it('with defaults of other types than they should have are refused', async () => {
    for (const [n, config] of [null, { User: 5 }, { Env: [1] }, { StopSignal: {} }, { Cmd: 'sh' }, []].entries())
      archive({ layers: [[{ path: `a${n}`, text: 'abc' }]], config }, `${n}.tar`);
    const store = await loaded();
    store.list().map(describeImage);
    expect(store.list()).toHaveLength(1);
    expect(errors).toHaveLength(5);
  });

  it('that are no files do not keep others from being loaded', async () => {
    archive({ layers: [[{ path: 'a', text: 'abc' }]] });
    symlinkSync('loop', join(dir, 'source/loop'));
    execFileSync('mkfifo', [join(dir, 'source/a.tar')]);
    mkdirSync(join(dir, 'source/layout'));
    writeFileSync(join(dir, 'source/layout/oci-layout'), '');
    execFileSync('mkfifo', [join(dir, 'source/layout/index.json')]);
    const store = await loaded();
    expect(store.list()).toHaveLength(1);
    expect(errors).toHaveLength(3);
  });
});
