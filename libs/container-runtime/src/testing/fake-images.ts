import { createHash } from 'node:crypto';
import type { PullRequest, StoredImage } from '../images.js';
import { RuntimeError } from '../runtime-error.js';

/** Settings of an image of the double. */
export interface FakeImage {
  /** Name with tag, as `docker.io/library/busybox:1`. */
  readonly name: string;
  /** Numeric user of its processes. */
  readonly uid?: number;
  /** Name of the user of its processes. */
  readonly username?: string;
  /** Bytes; 1,000,000 by default. */
  readonly size?: number;
  /** Whether garbage collection must leave it. */
  readonly pinned?: boolean;
}

/** Returns the id of an image of the double. */
const idOf = (name: string): string => `sha256:${createHash('sha256').update(name).digest('hex')}`;

function stored({ name, uid, username, size = 1_000_000, pinned = false }: FakeImage): StoredImage {
  const digest = `${name.replace(/:[^/:]*$/, '')}@${idOf(`manifest of ${name}`)}`;
  const user = { ...(uid !== undefined && { uid }), ...(username !== undefined && { username }) };
  return { id: idOf(name), repoTags: [name], repoDigests: [digest], size, pinned, ...user };
}

/** Images on the node and in the registry of the double. */
export class FakeImages {
  readonly #local = new Map<string, StoredImage>();
  readonly #remote = new Map<string, StoredImage>();

  /** Puts an image on the node. */
  add(image: FakeImage): StoredImage {
    const made = stored(image);
    this.#local.set(made.id, made);
    return made;
  }

  /** Puts an image into the registry, from where it can be pulled. */
  publish(image: FakeImage): void {
    this.#remote.set(image.name, stored(image));
  }

  /** Returns the image on the node of an id or name. */
  find(image: string): StoredImage | undefined {
    return this.list().find(({ id, repoTags, repoDigests }) => [id, ...repoTags, ...repoDigests].includes(image));
  }

  /** Returns all images on the node. */
  list(): StoredImage[] {
    return [...this.#local.values()];
  }

  /** Moves an image from the registry to the node. @throws RuntimeError if there is none */
  pull({ image }: PullRequest): string {
    const found = this.#remote.get(image);
    if (!found) throw new RuntimeError('NotFound', `failed to pull and unpack image "${image}": not found`);
    this.#local.set(found.id, found);
    return found.id;
  }

  /** Removes an image from the node. */
  remove(image: string): void {
    const found = this.find(image);
    if (found) this.#local.delete(found.id);
  }
}
