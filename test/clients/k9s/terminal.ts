import { execFileSync } from 'node:child_process';
import { vi } from 'vitest';
import { needed } from '../installed.js';

const COLUMNS = 180;
const ROWS = 45;
/** For a screen to show what it is to show. */
const WAIT_MS = 30_000;

/** A program in a terminal of its own, as somebody sits before it: by tmux. */
export class Terminal {
  readonly #tmux = needed('tmux', 'tmux');
  readonly #server = `orch-${process.pid}`;

  /** Starts a program, with further variables of its environment. */
  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    const variables = Object.entries({ TERM: 'tmux-256color', ...env }).map(([name, value]) => `${name}=${value}`);
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
    this.#run('-f', '/dev/null', 'new-session', '-d', ...size, 'env', ...variables, ...command);
  }

  /** What it shows now. */
  get screen(): string {
    return this.#run('capture-pane', '-p');
  }

  /** Presses keys, by the names that tmux has for them, such as `Enter` and `C-d`. */
  press(...keys: readonly string[]): void {
    this.#run('send-keys', ...keys);
  }

  /** Types a text. */
  type(text: string): void {
    this.#run('send-keys', '-l', text);
  }

  /**
   * Waits until it shows a text.
   * @throws Error with what it shows instead, once that takes too long
   */
  async shows(text: string | RegExp): Promise<void> {
    const isThere = (): void => {
      const { screen } = this;
      if (typeof text === 'string' ? !screen.includes(text) : !text.test(screen))
        throw new Error(`${text} is not on the screen:\n${screen}`);
    };
    await vi.waitFor(isThere, { timeout: WAIT_MS, interval: 100 });
  }

  /** Ends the program. */
  close(): void {
    this.#run('kill-server');
  }

  #run(...args: readonly string[]): string {
    return execFileSync(this.#tmux, ['-L', this.#server, ...args], { encoding: 'utf8' });
  }
}
