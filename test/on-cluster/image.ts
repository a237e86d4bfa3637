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

/**
 * Writes an image of one layer as an archive of the OCI layout, which needs no registry. The folder is gone afterwards.
 *
 * @param name with host and tag, as `docker.io/library/orch:now`
 */
export function packImage(root: RootFolder, name: string, config: ImageConfig, archive: string): void {
  const layout = mkdtempSync(join(dirname(archive), 'layout-'));
  const blobs = join(layout, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const blob = (bytes: Buffer | string) => {
    const sum = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(blobs, sum), bytes);
    return { digest: `sha256:${sum}`, size: bytes.length };
  };
  const layer = blob(layerOf(root, layout));
  const platform = { architecture: PROCESSORS[process.arch] ?? process.arch, os: 'linux' };
  const made = {
    ...platform,
    config: { ...config, Env: [PATH, ...(config.Env ?? [])] },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  };
  const type = 'application/vnd.oci.image';
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: `${type}.manifest.v1+json`,
    config: { mediaType: `${type}.config.v1+json`, ...blob(JSON.stringify(made)) },
    layers: [{ mediaType: `${type}.layer.v1.tar`, ...layer }],
  });
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const described = { mediaType: `${type}.manifest.v1+json`, ...blob(manifest), platform, annotations };
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [described] }));
  execFileSync('tar', ['-cf', archive, '-C', layout, 'oci-layout', 'index.json', 'blobs']);
  rmSync(layout, { recursive: true });
  rmSync(root.path, { recursive: true });
}

function layerOf(root: RootFolder, dir: string): Buffer {
  const file = join(dir, 'layer.tar');
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--sort=name'];
  execFileSync('tar', [...owner, '-cf', file, '-C', root.path, '.']);
  const bytes = readFileSync(file);
  rmSync(file);
  return bytes;
}
