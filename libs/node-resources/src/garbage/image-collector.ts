import type { Runtime, StoredImage } from '@orch/container-runtime';
import type { EventSink } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import { Periodic } from '../periodic.js';
import type { FilesystemSize } from '../usage/host-files.js';

/** Dependencies of {@link ImageCollector}. */
interface ImageCollectorSettings {
  /** Runtime of the images. */
  readonly runtime: Pick<Runtime, 'listImages' | 'listContainers' | 'removeImage' | 'sandboxImage'>;
  /** Measures the file system of images. */
  readonly filesystem: () => Promise<Pick<FilesystemSize, 'capacityBytes' | 'availableBytes'>>;
  /** Usage above which images are removed, percent; 100 for never. */
  readonly highPercent: number;
  /** Usage down to which they are removed, percent. */
  readonly lowPercent: number;
  /** Age that an unused image has to reach, ms. */
  readonly minimumAgeMs: number;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of ages. */
  readonly clock: Clock;
  /** Logs removals. */
  readonly logger: Logger;
}

/** Facts of an image beside its names. */
interface Known {
  /** First time that it was seen, ms of the monotonic clock. */
  readonly firstSeen: number;
  /** Last time that it was in use. */
  readonly lastUsed: number;
}

const EVERY_MS = 300_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** Removes images that nothing uses when their file system is full. */
export class ImageCollector {
  readonly #known = new Map<string, Known>();
  readonly #periodic: Periodic;
  #hasFailed = false;
  #hasListed = false;

  constructor(private readonly settings: ImageCollectorSettings) {
    const { clock, logger } = settings;
    const work = () => this.#round();
    this.#periodic = new Periodic({ name: 'the removal of images', everyMs: EVERY_MS, work, clock, logger });
  }

  /** Begins to look, unless images are never removed. */
  start(): void {
    if (this.settings.highPercent < 100) this.#periodic.start();
  }

  /** Ends that. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** Removes what is too much. @throws Error if that is not enough */
  async collect(): Promise<void> {
    const { filesystem, highPercent, lowPercent, events } = this.settings;
    const { capacityBytes, availableBytes } = await filesystem();
    await this.#list();
    if (capacityBytes === 0) {
      const message = 'invalid capacity 0 on image filesystem';
      events.ofNode('Warning', 'InvalidDiskCapacity', message);
      throw new Error(message);
    }
    const available = Math.min(availableBytes, capacityBytes);
    if (100 - Math.floor((available * 100) / capacityBytes) < highPercent) return;
    const wanted = Math.floor((capacityBytes * (100 - lowPercent)) / 100) - available;
    const freed = await this.#free(wanted, this.settings.minimumAgeMs);
    if (freed >= wanted) return;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`;
    events.ofNode('Warning', 'FreeDiskSpaceFailed', message);
    throw new Error(message);
  }

  /** Removes all images that nothing uses, old or not. @throws Error if one cannot be removed */
  async removeUnused(): Promise<void> {
    await this.#free(Number.POSITIVE_INFINITY, 0);
  }

  /** The first failure may be that of a runtime that has just started. */
  async #round(): Promise<void> {
    try {
      await this.collect();
      this.#hasFailed = false;
    } catch (error) {
      if (this.#hasFailed) this.settings.events.ofNode('Warning', 'ImageGCFailed', (error as Error).message);
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Notes which images there are, and which are in use. Images that were there before the agent count as old. */
  async #list(): Promise<{ images: Map<string, StoredImage>; used: Set<string>; now: number }> {
    const { runtime, clock } = this.settings;
    const [listed, containers] = await Promise.all([runtime.listImages(), runtime.listContainers()]);
    const images = new Map(listed.map((image) => [image.id, image]));
    const names = new Set(containers.flatMap(({ image, imageRef }) => [image, imageRef]));
    const now = clock.now();
    const used = new Set<string>();
    for (const { id, repoTags, repoDigests } of listed) {
      const known = this.#known.get(id) ?? { firstSeen: this.#hasListed ? now : NEVER, lastUsed: NEVER };
      const isUsed = [id, ...repoTags, ...repoDigests].some((name) => names.has(name));
      if (isUsed) used.add(id);
      this.#known.set(id, isUsed ? { ...known, lastUsed: now } : known);
    }
    for (const id of this.#known.keys()) if (!images.has(id)) this.#known.delete(id);
    this.#hasListed = true;
    return { images, used, now };
  }

  async #free(bytes: number, minimumAgeMs: number): Promise<number> {
    const { images, used, now } = await this.#list();
    // No container has it, and where no registry has it no pod could run any more.
    const ofSandboxes = (await this.settings.runtime.sandboxImage?.()) ?? '';
    const isKept = ({ id, pinned, repoTags, repoDigests }: StoredImage) =>
      pinned || used.has(id) || [id, ...repoTags, ...repoDigests].includes(ofSandboxes);
    const known = (id: string) => this.#known.get(id) ?? { firstSeen: now, lastUsed: now };
    const unused = [...images.values()]
      .filter((image) => !isKept(image) && now - known(image.id).firstSeen >= minimumAgeMs)
      .sort((a, b) => byAge(known(a.id), known(b.id)));
    const failures: string[] = [];
    let freed = 0;
    for (const image of unused) {
      if (freed >= bytes) break;
      if (await this.#remove(image, failures)) freed += image.size;
    }
    if (failures.length > 0)
      throw new Error(
        `wanted to free ${bytes} bytes, but freed ${freed} bytes space with errors in image deletion: ${failures.join(', ')}`,
      );
    return freed;
  }

  async #remove({ id, size }: StoredImage, failures: string[]): Promise<boolean> {
    const { runtime, logger } = this.settings;
    try {
      await runtime.removeImage(id);
    } catch (error) {
      failures.push(String(error));
      return false;
    }
    this.#known.delete(id);
    logger.info('removed an image to free disk', { image: id, size });
    return true;
  }
}

/** Orders images: the one that was not used for longest goes first, then the oldest. */
function byAge(a: Known, b: Known): number {
  if (a.lastUsed !== b.lastUsed) return a.lastUsed < b.lastUsed ? -1 : 1;
  if (a.firstSeen === b.firstSeen) return 0;
  return a.firstSeen < b.firstSeen ? -1 : 1;
}
