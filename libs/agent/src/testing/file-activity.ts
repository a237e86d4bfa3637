import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

type Operations = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** Counts operations on files of this process that are under way, so that a test can wait until none is. */
export class FileActivity {
  /** Operations that are under way. */
  pending = 0;
  readonly #own = { ...(files as unknown as Operations) };

  /** Begins to count. */
  start(): void {
    const operations = files as unknown as Operations;
    for (const [name, operation] of Object.entries(this.#own))
      if (typeof operation === 'function' && name !== 'watch')
        operations[name] = async (...args) => {
          this.pending++;
          try {
            const result = await operation(...args);
            if (name === 'open') this.#countOpen(result as FileHandle);
            return result;
          } finally {
            this.pending--;
          }
        };
    syncBuiltinESMExports();
  }

  /** An open file is worked on until it is closed. */
  #countOpen(file: FileHandle): void {
    this.pending++;
    const close = file.close.bind(file);
    file.close = () => close().finally(() => this.pending--);
  }

  /** Ends that. */
  stop(): void {
    Object.assign(files, this.#own);
    syncBuiltinESMExports();
  }
}
