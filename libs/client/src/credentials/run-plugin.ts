import { type ChildProcess, spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { ExecPlugin } from './exec-plugin.js';

/** What a plugin may have. */
export interface PluginLimits {
  /** The terminal: false for a process that reads standard input itself. Default: whether standard input is one. */
  readonly terminal?: boolean;
  /** How long it may run, ms: long enough for somebody to log in meanwhile. Default 300,000. */
  readonly timeoutMs?: number;
  /** Bytes that it may print. Default 1 MiB. */
  readonly maxOutputBytes?: number;
}

const MIB = 1024 * 1024;

/** Whether a plugin gets the terminal. @throws Error where it needs one and there is none */
export function isInteractive({ interactiveMode }: ExecPlugin, { terminal = isatty(0) }: PluginLimits): boolean {
  if (interactiveMode === 'Always' && !terminal) {
    throw new Error('exec plugin cannot support interactive mode: standard input is not a terminal');
  }
  return terminal && interactiveMode !== 'Never';
}

/**
 * Runs a plugin and gives what it printed. It gets the terminal if it is `interactive`, `variables` beside those of this process, and
 * writes its complaints to standard error. The error names the command, never its arguments, variables or output.
 * @throws Error when it cannot be run, fails, takes too long or prints too much
 */
export function runPlugin(
  plugin: ExecPlugin,
  variables: Readonly<Record<string, string>>,
  interactive: boolean,
  { timeoutMs = 300_000, maxOutputBytes = MIB }: PluginLimits = {},
): Promise<string> {
  const { command, args = [] } = plugin;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...plugin.env, ...variables },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    const fail = (message: string) => {
      clearTimeout(timer);
      stop(child);
      reject(new Error(`exec: executable ${command} ${message}`));
    };
    const timer = setTimeout(() => fail(`gave no credentials within ${timeoutMs} ms`), timeoutMs);
    child.stdout?.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxOutputBytes) fail(`printed more than ${maxOutputBytes} bytes`);
      else pieces.push(piece);
    });
    child.on('error', (error: NodeJS.ErrnoException) => fail(whyNotRun(error, plugin)));
    child.on('close', (code, signal) => {
      if (code !== 0) fail(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`);
      clearTimeout(timer);
      resolve(Buffer.concat(pieces).toString());
    });
  });
}

/** What it may have started itself keeps its output open, which is not waited for. */
function stop(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdout?.destroy();
}

function whyNotRun({ code }: NodeJS.ErrnoException, { installHint }: ExecPlugin): string {
  if (code !== 'ENOENT') return `cannot be run: ${code ?? 'unknown error'}`;
  return `not found${installHint ? `\n\n${printable(installHint)}` : ''}`;
}

/** The hint comes from a file that somebody else may have written: it must not steer the terminal. */
const printable = (text: string): string =>
  text.replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu,
    (sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  );
