import type { FilesystemUsage, PullRequest, StoredImage } from '../images.js';
import { type CriService, method } from './cri-service.js';
import { sandboxMessage } from './wire-config.js';
import { filesystemUsage, storedImage, type WireFilesystem, type WireImage } from './wire-status.js';

const LIST = method('ListImages', 'ListImagesRequest', 'ListImagesResponse');
const STATUS = method('ImageStatus', 'ImageRequest', 'ImageStatusResponse');
const PULL = method('PullImage', 'PullRequest', 'Key');
const REMOVE = method('RemoveImage', 'ImageRequest');
const FILESYSTEMS = method('ImageFsInfo', 'Empty', 'ImageFilesystemsResponse');

/** Images of a runtime behind CRI, as in `Runtime`. */
export class CriImages {
  constructor(private readonly service: CriService) {}

  /** Lists images. */
  async list(image?: string): Promise<readonly StoredImage[]> {
    const filter = image === undefined ? undefined : { image: { image } };
    const { items } = await this.service.call<{ items: readonly WireImage[] }>(LIST, { filter });
    // Some runtimes take no notice of the filter.
    const isSelected = ({ id, repoTags, repoDigests }: WireImage) =>
      image === undefined || [id, ...repoTags, ...repoDigests].includes(image);
    return items.filter(isSelected).map(storedImage);
  }

  /** Returns one image. */
  async status(image: string): Promise<StoredImage | undefined> {
    const answer = await this.service.call<{ image: WireImage | null }>(STATUS, { image: { image } });
    return answer.image ? storedImage(answer.image) : undefined;
  }

  /** Pulls an image; there is no timeout but the signal. */
  async pull({ image, auth, sandbox, signal }: PullRequest): Promise<string> {
    const request = { image: { image }, auth, sandbox: sandbox && sandboxMessage(sandbox) };
    const { id } = await this.service.call<{ id: string }>(PULL, request, { timeout: Infinity, signal });
    return id;
  }

  /** Removes an image. */
  remove(image: string): Promise<void> {
    return this.service.callIdempotent(REMOVE, { image: { image } });
  }

  /** Returns usage of file systems. */
  async filesystems(): Promise<readonly FilesystemUsage[]> {
    const { items } = await this.service.call<{ items: readonly WireFilesystem[] }>(FILESYSTEMS, {});
    return items.map(filesystemUsage);
  }
}
