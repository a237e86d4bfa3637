import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ImageProcess, readImageProcess } from './image-process.js';
import type { ImageLimits } from './layer.js';
import { openRegular, readRegular } from './regular-file.js';
import { readTar } from './tar-entries.js';

/** Bytes of an index, a manifest or a configuration. */
const LONGEST_DOCUMENT = 4 << 20;
/** Files of an archive that are looked at. */
const MEMBER = /^(?:\.\/)?(oci-layout|index\.json|blobs\/sha256\/[0-9a-f]{64})$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/;
/** Indexes within indexes. */
const DEEPEST = 4;
/** Indexes, manifests and configurations that are read: indexes may name one another many times. */
const MOST_DOCUMENTS = 1_000;
const NAMES = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];
/** This machine's processor, as images name it. */
const PROCESSOR = { x64: 'amd64' }[process.arch as string] ?? process.arch;

/** Digest and kind of a blob. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly platform?: { readonly architecture?: string; readonly os?: string };
}

type JsonDocument = Readonly<Record<string, unknown>>;

interface ImageConfiguration {
  readonly config?: unknown;
  readonly rootfs?: { readonly diff_ids?: readonly string[] };
}

/** An image of a layout. */
export interface LayoutImage {
  /** Names with tags, as they stand in the index. */
  readonly names: readonly string[];
  /** Digest of the manifest. */
  readonly manifest: string;
  /** Digest of the configuration. */
  readonly id: string;
  /** Defaults for its processes. */
  readonly defaults: ImageProcess;
  /** Layers, the lowest first, with the digests of their uncompressed forms. */
  readonly layers: readonly { readonly descriptor: Descriptor; readonly diffId: string }[];
}

/** A folder with images in the OCI layout. */
export class OciLayout {
  #documents = 0;

  constructor(private readonly folder: string) {}

  /** Unpacks an archive of a layout into a folder. @throws Error for damaged and too large ones */
  static async unpackArchive(archive: string, folder: string, limits: ImageLimits): Promise<OciLayout> {
    let bytes = 0;
    await readTar((await openRegular(archive)).createReadStream(), async ({ path, type, size, content }) => {
      const name = MEMBER.exec(path)?.[1];
      if (name === undefined || type !== 'File') return;
      bytes += size;
      if (bytes > limits.bytes) throw new Error(`blobs of more than ${limits.bytes} bytes`);
      const place = join(folder, name);
      await mkdir(dirname(place), { recursive: true });
      const file = await open(place, 'w', 0o600);
      try {
        for await (const piece of content) await file.writeFile(piece);
      } finally {
        await file.close();
      }
    });
    return new OciLayout(folder);
  }

  /** Reads the images for this machine's processor. @throws Error for invalid ones */
  async images(): Promise<LayoutImage[]> {
    const index = await readRegular(join(this.folder, 'index.json'), LONGEST_DOCUMENT);
    const { manifests = [] } = JSON.parse(index.toString());
    const found: LayoutImage[] = [];
    for (const descriptor of manifests as Descriptor[]) {
      const image = await this.#image(descriptor, namesOf(descriptor), 0);
      if (image) found.push(image);
    }
    return found;
  }

  /** Reads a layer uncompressed; fails at its end if a digest does not match. */
  async *layer({ descriptor, diffId }: LayoutImage['layers'][number]): AsyncGenerator<Buffer> {
    const [blob, content] = [createHash('sha256'), createHash('sha256')];
    const hashed = Readable.from(hashing((await openRegular(this.#path(descriptor.digest))).createReadStream(), blob));
    for await (const piece of uncompressed(hashed, descriptor.mediaType)) {
      content.update(piece);
      yield piece;
    }
    check(descriptor.digest, blob.digest('hex'));
    check(diffId, content.digest('hex'));
  }

  async #image(descriptor: Descriptor, names: readonly string[], depth: number): Promise<LayoutImage | undefined> {
    if ((descriptor.platform?.architecture ?? PROCESSOR) !== PROCESSOR) return undefined;
    const document = await this.#document(descriptor.digest);
    if (!Array.isArray(document.manifests)) return this.#manifest(descriptor.digest, document, names);
    if (depth >= DEEPEST) throw new Error('indexes are nested too deeply');
    for (const each of document.manifests as Descriptor[]) {
      const image = await this.#image(each, names, depth + 1);
      if (image) return image;
    }
    return undefined;
  }

  async #manifest(digest: string, document: JsonDocument, names: readonly string[]): Promise<LayoutImage> {
    const { config, layers = [] } = document as unknown as { config: Descriptor; layers?: Descriptor[] };
    const configuration = await this.#document(config.digest);
    const { config: defaults, rootfs } = configuration as ImageConfiguration;
    const diffIds = rootfs?.diff_ids ?? [];
    if (diffIds.length !== layers.length) throw new Error(`${layers.length} layers, but ${diffIds.length} digests`);
    const pairs = layers.map((each, index) => ({ descriptor: each, diffId: diffIds[index] ?? '' }));
    return { names, manifest: digest, id: config.digest, defaults: readImageProcess(defaults), layers: pairs };
  }

  async #document(digest: string): Promise<JsonDocument> {
    if (++this.#documents > MOST_DOCUMENTS) throw new Error(`more than ${MOST_DOCUMENTS} manifests`);
    const text = await readRegular(this.#path(digest), LONGEST_DOCUMENT);
    check(digest, createHash('sha256').update(text).digest('hex'));
    return JSON.parse(text.toString());
  }

  #path(digest: string): string {
    const [, hex] = DIGEST.exec(digest) ?? [];
    if (hex === undefined) throw new Error(`${JSON.stringify(digest)} is no SHA-256 digest`);
    return join(this.folder, 'blobs', 'sha256', hex);
  }
}

function namesOf({ annotations = {} }: Descriptor): string[] {
  const names = NAMES.flatMap((key) => annotations[key] ?? []);
  return [...new Set(names)];
}

function check(digest: string, hex: string): void {
  if (digest !== `sha256:${hex}`) throw new Error(`${digest} has the content of sha256:${hex}`);
}

async function* hashing(bytes: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}

function uncompressed(bytes: Readable, mediaType: string): AsyncIterable<Buffer> {
  if (mediaType.endsWith('gzip')) return bytes.compose(createGunzip()) as AsyncIterable<Buffer>;
  if (mediaType.endsWith('zstd')) throw new Error('layers in zstd are not read');
  return bytes;
}
