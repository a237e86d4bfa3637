/**
 * Annotations for the audit log, by key. The first that {@link noteOnce} sets under a key stays, as in the reference:
 * webhooks and policies choose their keys, and the server's own come first.
 */
export class AuditNotes extends Map<string, string> {
  #refused: Set<string> | undefined;

  /** Sets a value, unless the key has another already. */
  noteOnce(key: string, value: string): void {
    const noted = this.get(key);
    if (noted === undefined) this.set(key, value);
    else if (noted !== value) this.#refuse(key);
  }

  /** Keys for which another value was refused. */
  get refused(): Iterable<string> {
    return this.#refused ?? [];
  }

  #refuse(key: string): void {
    this.#refused ??= new Set();
    this.#refused.add(key);
  }
}
