import type { ExecSyncResult } from '../streams.js';

/** Output of a program on one stream. */
interface FakeOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** Whether the line is not complete. */
  readonly partial?: boolean;
}

/** Outcome of a command in a container of the double; without fields it prints nothing and succeeds at once. */
export interface FakeExec extends Partial<Omit<ExecSyncResult, 'stdout' | 'stderr'>> {
  /** Text on standard output. */
  readonly stdout?: string;
  /** Text on standard error. */
  readonly stderr?: string;
  /** Milliseconds until it ends. */
  readonly after?: number;
}

/** Behaviour of a container's program. Without fields it runs until it is stopped, and ends at SIGTERM with 143. */
export interface FakeProgram {
  /** Milliseconds that starting takes. */
  readonly startDelay?: number;
  /** Why it cannot be started. */
  readonly startFailure?: string;
  /** Lines that it prints as it starts. */
  readonly output?: readonly FakeOutput[];
  /** Milliseconds after which it ends by itself. */
  readonly exitAfter?: number;
  /** Exit code when it ends by itself; 0 by default. */
  readonly exitCode?: number;
  /** Whether it ends as its memory limit is reached: reason `OOMKilled`, code 137. */
  readonly oomKilled?: boolean;
  /** Milliseconds between SIGTERM and its end; `Infinity` ignores SIGTERM. 0 by default. */
  readonly stopDelay?: number;
  /** Exit code after SIGTERM; 143 by default. */
  readonly stopCode?: number;
  /** Outcomes of commands in it. */
  readonly exec?: (command: readonly string[]) => FakeExec;
  /** Whether it copies standard input to standard output. */
  readonly echo?: boolean;
}
