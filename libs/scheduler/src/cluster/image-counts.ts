/** Numbers of nodes that have an image, by each name of the image. */
export class ImageCounts {
  readonly #nodes = new Map<string, number>();

  /** Returns the number of nodes that have an image. */
  of(name: string): number {
    return this.#nodes.get(name) ?? 0;
  }

  /** The images of a node have changed. */
  change(before: Iterable<string>, after: Iterable<string>): void {
    for (const name of before) this.#add(name, -1);
    for (const name of after) this.#add(name, 1);
  }

  #add(name: string, by: 1 | -1): void {
    const count = this.of(name) + by;
    if (count > 0) this.#nodes.set(name, count);
    else this.#nodes.delete(name);
  }
}
