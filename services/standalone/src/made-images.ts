import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An image that is made of what is on the machine. */
interface MadeImage {
  /** Name with its tag. */
  readonly name: string;
  /** File name of its archive. */
  readonly file: string;
  /** Command that its containers run by default. */
  readonly command: readonly string[];
}

/** Port on which the image serves a page. */
const PORT = 8080;
/** A first process ends at a signal only if it handles it, which httpd does not. */
const SCRIPT = `trap 'exit 0' TERM; httpd -f -p ${PORT} -h /www & wait`;
/** Bytes at the beginning of a program in which it names its linker. */
const HEAD_BYTES = 4096;
/** Beginning of the names of folders in which images are made. */
const MAKING = '.making-';
const PAGE = '<!doctype html><title>orch</title><h1>It works.</h1>\n';
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const MEDIA = 'application/vnd.oci.image';

/** Bytes of a blob as a layout refers to them. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** An image to try out: it serves a page on port 8080, and has a shell. */
export const DEMO_IMAGE: MadeImage = {
  name: 'localhost/demo:latest',
  file: 'demo.tar',
  command: ['sh', '-c', SCRIPT],
};

/** An image that keeps the sandbox of a pod, for a runtime that has none. */
export const PAUSE_IMAGE: MadeImage = {
  name: 'localhost/pause:1',
  file: 'pause.tar',
  command: ['sleep', '2147483647'],
};

/**
 * Makes an image from the busybox of this machine.
 * @param folder where its archive is put, in the layout of OCI; one that is there is kept
 * @returns path of the archive; undefined without a busybox that needs no libraries
 */
export async function makeImage(image: MadeImage, folder: string): Promise<string | undefined> {
  const archive = join(folder, image.file);
  // A process that ended half way has left its folder, which the runtime would take for an image.
  for (const left of (await readdir(folder)).filter((name) => name.startsWith(MAKING)))
    await rm(join(folder, left), { recursive: true, force: true });
  if (existsSync(archive)) return archive;
  const busybox = await staticBusybox();
  if (busybox === undefined) return undefined;
  const making = await mkdtemp(join(folder, MAKING));
  try {
    await writeLayout(making, await layerOf(making, busybox), image);
    await run('tar', ['-C', join(making, 'layout'), '-cf', join(making, image.file), '.']);
    await rename(join(making, image.file), archive);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return archive;
}

/** Returns the path of a busybox that is linked statically, which an image needs nothing beside. */
async function staticBusybox(): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/bin', '/usr/bin'];
  // A program that needs libraries names its linker right behind its head.
  for (const path of folders.map((folder) => join(folder, 'busybox')))
    if (existsSync(path) && !(await readFile(path)).subarray(0, HEAD_BYTES).includes('/ld-')) return path;
  return undefined;
}

/** Packs the files of the image. Returns the path of the archive. */
async function layerOf(making: string, busybox: string): Promise<string> {
  const root = join(making, 'root');
  for (const folder of ['bin', 'dev', 'etc', 'proc', 'sys', 'tmp', 'www'])
    await mkdir(join(root, folder), { recursive: true });
  await chmod(join(root, 'tmp'), 0o1777);
  await copyFile(busybox, join(root, 'bin', 'busybox'));
  await chmod(join(root, 'bin', 'busybox'), 0o755);
  const { stdout } = await run(busybox, ['--list']);
  for (const applet of stdout.trim().split('\n'))
    if (applet !== 'busybox') await symlink('busybox', join(root, 'bin', applet));
  await writeFile(join(root, 'etc', 'passwd'), 'root:x:0:0:root:/:/bin/sh\n');
  await writeFile(join(root, 'etc', 'group'), 'root:x:0:\n');
  await writeFile(join(root, 'www', 'index.html'), PAGE);
  const layer = join(making, 'layer.tar');
  await run('tar', ['-C', root, '--owner=0', '--group=0', '--numeric-owner', '-cf', layer, '.']);
  return layer;
}

async function writeLayout(making: string, layer: string, { name, command }: MadeImage): Promise<void> {
  const layout = join(making, 'layout');
  const blobs = join(layout, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });
  const files = await blobOf(blobs, await readFile(layer), `${MEDIA}.layer.v1.tar`);
  const architecture = PROCESSORS[process.arch] ?? process.arch;
  const configuration = await blobOf(
    blobs,
    json(configurationOf(architecture, files.digest, command)),
    `${MEDIA}.config.v1+json`,
  );
  const manifest = { schemaVersion: 2, mediaType: `${MEDIA}.manifest.v1+json`, config: configuration, layers: [files] };
  const described = {
    ...(await blobOf(blobs, json(manifest), manifest.mediaType)),
    platform: { os: 'linux', architecture },
    annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name },
  };
  await writeFile(join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  await writeFile(join(layout, 'index.json'), json({ schemaVersion: 2, manifests: [described] }));
}

const configurationOf = (architecture: string, layer: string, Cmd: readonly string[]) => ({
  ...{ os: 'linux', architecture, rootfs: { type: 'layers', diff_ids: [layer] } },
  config: { Env: ['PATH=/bin'], Cmd },
});

async function blobOf(folder: string, bytes: Buffer, mediaType: string): Promise<Descriptor> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  await writeFile(join(folder, hash), bytes);
  const { size } = await stat(join(folder, hash));
  return { mediaType, digest: `sha256:${hash}`, size };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
