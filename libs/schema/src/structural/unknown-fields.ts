/** Limits of an object's reported fields, and of the characters of their paths. */
const MOST_PATHS = 100;
const MOST_CHARACTERS = 1 << 20;

/** Collects the paths of dropped unknown fields: `spec.containers[0].foo`, at most 100. */
export class UnknownFields {
  readonly #paths: string[] = [];
  readonly #path: (string | number)[] = [];
  #characters = 0;

  /** @param base path of the whole; default '' */
  constructor(private readonly base = '') {}

  /** Descends to a member, by its name, or to an element, by its index. */
  enter(part: string | number): void {
    this.#path.push(part);
  }

  /** Returns to the parent. */
  leave(): void {
    this.#path.pop();
  }

  /** Reports a member of the current value. */
  report(name: string): void {
    if (this.#paths.length >= MOST_PATHS || this.#characters > MOST_CHARACTERS) return;
    let path = this.base;
    for (const part of [...this.#path, name]) {
      path += typeof part === 'number' ? `[${part}]` : path === '' ? part : `.${part}`;
    }
    this.#characters += path.length;
    this.#paths.push(path);
  }

  /** All reported fields, sorted. */
  get paths(): string[] {
    return [...this.#paths].sort();
  }
}
