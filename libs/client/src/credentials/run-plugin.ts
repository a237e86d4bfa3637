import { type ChildProcess, spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { ExecPlugin } from './exec-plugin.js';

/** Limits of a plugin. */
export interface PluginLimits {
  /**
   * Whether there is a terminal: false for a process that reads standard input itself. Default: whether standard input
   * is one.
   */
  readonly terminal?: boolean;
  /** Maximum run time, ms: long enough for a user to log in meanwhile. Default 300,000. */
  readonly timeoutMs?: number;
  /** Bytes that it may print. Default 1 MiB. */
  readonly maxOutputBytes?: number;
}

const MIB = 1024 * 1024;

/** Whether a plugin gets the terminal. @throws Error when it needs one and there is none */
export function isInteractive({ interactiveMode }: ExecPlugin, { terminal = isatty(0) }: PluginLimits): boolean {
  if (interactiveMode === 'Always' && !terminal) {
    throw new Error('exec plugin cannot support interactive mode: standard input is not a terminal');
  }
  return terminal && interactiveMode !== 'Never';
}

/**
 * Runs a plugin and returns its output. It gets the terminal if it is `interactive`, `variables` beside those of this
 * process, and writes its messages to standard error. The error names the command, never its arguments, variables or
 * output.
 * @throws Error when it cannot be run, fails, takes too long or prints too much
 */
export async function runPlugin(
  plugin: ExecPlugin,
  variables: Readonly<Record<string, string>>,
  interactive: boolean,
  limits: PluginLimits = {},
): Promise<string> {
  try {
    const child = spawn(plugin.command, plugin.args ?? [], {
      env: { ...process.env, ...plugin.env, ...variables },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    return await outputOf(child, limits);
  } catch (error) {
    throw new Error(
      `exec: executable ${plugin.command} ${error instanceof Failure ? error.message : whyNotRun(error, plugin)}`,
    );
  }
}

/** Failure of a program that was run. */
class Failure extends Error {}

function outputOf(child: ChildProcess, { timeoutMs = 300_000, maxOutputBytes = MIB }: PluginLimits): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const fail = (error: Error) => {
      clearTimeout(timer);
      stop(child);
      reject(error);
    };
    const timer = setTimeout(() => fail(new Failure(`gave no credentials within ${timeoutMs} ms`)), timeoutMs);
    child.stdout?.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxOutputBytes) fail(new Failure(`printed more than ${maxOutputBytes} bytes`));
      else pieces.push(piece);
    });
    child.on('error', fail);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(pieces).toString());
      else reject(new Failure(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`));
    });
  });
}

/** Kills a plugin. Its own children may keep its output open, which is not waited for. */
function stop(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdout?.destroy();
}

/** Returns the code of the system's error alone: Node's messages may quote arguments. */
function whyNotRun(error: unknown, { installHint }: ExecPlugin): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return `cannot be run: ${code}`;
  return `not found${installHint ? `\n\n${printable(installHint)}` : ''}`;
}

/** Escapes the hint: it comes from a file by others, and must not control the terminal. */
const printable = (text: string): string =>
  text.replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu,
    (sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  );
