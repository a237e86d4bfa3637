/** Limits of an object's reported fields, and of the characters of their paths. */
const MOST_TOLD = 100;
const MOST_CHARACTERS = 1 << 20;

/** Collects the paths of dropped unknown fields: `spec.containers[0].foo`, at most 100. */
export class UnknownFields {
  readonly #told: string[] = [];
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
  tell(name: string): void {
    if (this.#told.length >= MOST_TOLD || this.#characters > MOST_CHARACTERS) return;
    let path = this.base;
    for (const part of [...this.#path, name]) {
      path += typeof part === 'number' ? `[${part}]` : path === '' ? part : `.${part}`;
    }
    this.#characters += path.length;
    this.#told.push(path);
  }

  /** All reported fields, sorted. */
  get paths(): string[] {
    return [...this.#told].sort();
  }
}
