import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of limited size in memory, to be filled. Needs root. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  static mount(path: string, mebibytes: number): SmallDisk {
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', path]);
    return new SmallDisk(path);
  }

  /** Takes all the room that is left. */
  fill(): void {
    for (const size of [1 << 20, 1 << 12]) {
      const piece = Buffer.alloc(size);
      try {
        for (;;) writeFileSync(this.#ballast, piece, { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', [this.path]);
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }
}
