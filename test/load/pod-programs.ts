import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { goBuild } from '../clients/go-build.js';
import { ownAddress } from '../support/node-agent.js';
import type { Endpoint } from './connection.js';

/** What bytes go through: a command, a port, or the log of a pod. */
export type TransferKind = 'exec' | 'portforward' | 'log';

/** Bytes to move between a client and a pod. */
export interface Transfer {
  readonly endpoint: Endpoint;
  /** Path of the pod. */
  readonly pod: string;
  readonly kind: TransferKind;
  /** Whether they go to the pod. */
  readonly toPod: boolean;
  readonly mebibytes: number;
}

/** An agent of a node and a client of its pods, in Go, with the libraries that those of release 1.27 use. */
export interface PodPrograms {
  /** Address of the agent. */
  readonly address: string;
  readonly port: number;
  /**
   * Moves bytes, and returns the seconds from the open stream to the last of them.
   * @throws Error when not all have arrived
   */
  move(transfer: Transfer): Promise<number>;
}

type Program = ChildProcessByStdio<Writable, Readable, null>;

const AGENT = fileURLToPath(new URL('../clients/go-agent', import.meta.url));

/** Builds both programs, runs something with them, and ends them. */
export async function withPodPrograms<T>(run: (programs: PodPrograms) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-pods-'));
  const started: Program[] = [];
  const start = (path: string, args: readonly string[]): Lines => {
    const program = join(dir, `program-${started.length}`);
    goBuild({ folder: AGENT, program, path, workspace: 'release', optimized: true });
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    started.push(child);
    return new Lines(child);
  };
  try {
    const address = ownAddress();
    const port = Number(await start('.', [address]).next());
    const client = start('./client', []);
    return await run({ address, port, move: (transfer) => moveBy(client, transfer) });
  } finally {
    for (const child of started) await ended(child);
    rmSync(dir, { recursive: true, force: true });
  }
}

async function moveBy(client: Lines, { endpoint, ...rest }: Transfer): Promise<number> {
  const { host, port, base = '', tls, token } = endpoint;
  const url = `https://${host}:${port}${base}`;
  const { seconds, error } = JSON.parse(await client.ask(JSON.stringify({ url, ...tls, token, ...rest })));
  if (error) throw new Error(`${rest.kind}: ${error}`);
  return seconds;
}

async function ended(child: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}

/** What a program says, line by line. */
class Lines {
  readonly #lines: AsyncIterator<string>;

  constructor(private readonly child: Program) {
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async next(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error(`${this.child.spawnfile} has ended`);
    return value;
  }

  ask(line: string): Promise<string> {
    this.child.stdin.write(`${line}\n`);
    return this.next();
  }
}
