import { spawn } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import { createInterface } from 'node:readline';

/** How to run a program that is written against a client library. The path of a kubeconfig becomes its last argument. */
export interface ClientProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A line of JSON that a program prints: the result of a check, or a request to restart the server. */
type Line = { readonly check: string; readonly error: string | null } | { readonly restart: true };

/** `ok` or what went wrong, by the name of the check. */
export type Outcomes = ReadonlyMap<string, string>;

const RUN_LIMIT_MS = 300_000;
const KEPT_OUTPUT = 8_000;

/**
 * Runs a program to its end. When it asks for a restart, `restart` is called and then an empty line written to its
 * standard input. Throws, with what it said, when its exit code is not 0 and when it takes longer than five minutes.
 */
export async function runProgram(
  program: ClientProgram,
  kubeconfig: string,
  restart: () => Promise<void>,
): Promise<Outcomes> {
  const outcomes = new Map<string, string>();
  const child = spawn(program.command, [...program.args, kubeconfig], {
    env: { PATH: process.env.PATH, HOME: homedir(), TMPDIR: tmpdir(), ...program.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: RUN_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-KEPT_OUTPUT);
  });
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
    child.once('error', reject);
  });
  // A failure to start is told by `await ended`.
  ended.catch(() => {});
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    if ('restart' in line) {
      await restart();
      child.stdin.write('\n');
    } else {
      outcomes.set(line.check, line.error ?? 'ok');
    }
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the program ended with ${code} after ${outcomes.size} checks:\n${said}`);
  return outcomes;
}
