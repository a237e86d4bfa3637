import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { which } from '../../tools/up/index.js';
import { needed } from '../clients/installed.js';

/** The default command and environment of an image's containers. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly StopSignal?: string;
}

/** Processors as images name them. */
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The files of an image, gathered from programs of this machine. */
export class RootFolder {
  readonly path: string;

  constructor(dir: string) {
    this.path = mkdtempSync(join(dir, 'root-'));
    chmodSync(this.path, 0o755); // containers run as others
    for (const folder of ['dev', 'proc', 'sys', 'etc', 'run', 'var', 'usr/bin', 'bin'])
      mkdirSync(join(this.path, folder), { recursive: true });
    mkdirSync(join(this.path, 'tmp'));
    chmodSync(join(this.path, 'tmp'), 0o1777);
  }

  write(path: string, text: string, mode = 0o644): this {
    const file = this.#place(path);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return this;
  }

  /** Copies a file or a folder with all that is in it, and what links lead to in their places. */
  copy(from: string, to = from): this {
    cpSync(from, this.#place(to), { recursive: true, dereference: true });
    return this;
  }

  mode(path: string, mode: number): this {
    chmodSync(join(this.path, path), mode);
    return this;
  }

  link(path: string, target: string): this {
    symlinkSync(target, this.#place(path));
    return this;
  }

  /** Copies a program, by its name or path, and the shared libraries that it needs. Throws where there is none. */
  program(name: string, to?: string): this {
    const from = name.includes('/') ? name : needed(name, `the package of ${name}`);
    this.copy(realpathSync(from), to ?? join('/usr/bin', name));
    return this.libraries(from);
  }

  /** Copies the shared libraries that a program or a library needs. */
  libraries(of: string): this {
    for (const library of librariesOf(of)) if (!existsSync(join(this.path, library))) this.copy(library);
    return this;
  }

  /** A shell, and what scripts of containers call. */
  shell(): this {
    const names = ['cat', 'cksum', 'sleep', 'mv', 'mkdir', 'chmod'];
    for (const name of names) this.program(name);
    return this.program('dash', '/bin/sh').program(which('mawk') ?? needed('awk', 'mawk'), '/usr/bin/awk');
  }

  #place(path: string): string {
    const file = join(this.path, path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }
}

function librariesOf(file: string): string[] {
  let text: string;
  try {
    text = execFileSync('ldd', [realpathSync(file)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return []; // of a program that is linked statically
  }
  return [...text.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, library = '']) => library);
}

/** A file among the blobs of images. */
interface Blob {
  readonly digest: string;
  readonly size: number;
}

const TYPE = 'application/vnd.oci.image';
const PLATFORM = { architecture: PROCESSORS[process.arch] ?? process.arch, os: 'linux' };

/** Writes bytes into a folder of blobs. */
function blob(blobs: string, bytes: Buffer | string): Blob {
  const sum = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(join(blobs, sum), bytes);
  return { digest: `sha256:${sum}`, size: bytes.length };
}

/** Writes the files of an image into a folder of blobs, as its one layer. The folder of files is gone afterwards. */
export function storeLayer(root: RootFolder, blobs: string): Blob {
  const layer = blob(blobs, layerOf(root, dirname(root.path)));
  rmSync(root.path, { recursive: true });
  return layer;
}

/** Writes an image of one layer into a folder of blobs. */
export function storeImage(layer: Blob, config: ImageConfig, blobs: string): Blob {
  const made = {
    ...PLATFORM,
    config: { ...config, Env: [PATH, ...(config.Env ?? [])] },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: { mediaType: `${TYPE}.config.v1+json`, ...blob(blobs, JSON.stringify(made)) },
    layers: [{ mediaType: `${TYPE}.layer.v1.tar`, ...layer }],
  };
  return blob(blobs, JSON.stringify(manifest));
}

/** The content type of the manifest of an image. */
export const MANIFEST_TYPE = `${TYPE}.manifest.v1+json`;

/**
 * Writes an image of one layer as an archive of the OCI layout, which needs no registry. The folder is gone afterwards.
 *
 * @param name with host and tag, as `docker.io/library/orch:now`
 */
export function packImage(root: RootFolder, name: string, config: ImageConfig, archive: string): void {
  const layout = mkdtempSync(join(dirname(archive), 'layout-'));
  const blobs = join(layout, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const image = storeImage(storeLayer(root, blobs), config, blobs);
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const described = { mediaType: MANIFEST_TYPE, ...image, platform: PLATFORM, annotations };
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [described] }));
  execFileSync('tar', ['-cf', archive, '-C', layout, 'oci-layout', 'index.json', 'blobs']);
  rmSync(layout, { recursive: true });
}

function layerOf(root: RootFolder, dir: string): Buffer {
  const file = join(dir, 'layer.tar');
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--sort=name'];
  execFileSync('tar', [...owner, '-cf', file, '-C', root.path, '.']);
  const bytes = readFileSync(file);
  rmSync(file);
  return bytes;
}
