import { closeSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { sleep, systemClock } from '@orch/runtime/clock';
import { exitReason } from '../../exit-reason.js';
import type { LogStream } from '../../logs/log-lines.js';
import { hasRunOutOfMemory } from '../cgroups/cgroups.js';
import { readJson, writeJson } from '../state/json-file.js';
import { identityOf } from '../state/processes.js';
import {
  CONTAINER_FILES,
  type ContainerProgress,
  type ContainerRecord,
  SANDBOX_RECORD,
  type SandboxRecord,
} from '../state/records.js';
import { ContainerLog } from './container-log.js';
import { openControlPath } from './control-path.js';
import { FRAME, frame, SupervisorFrameReader, type SupervisorRequest } from './frames.js';
import { Launched } from './launched.js';

/** Descriptor on which the outcome of the start is reported. */
const REPORT = 3;
const LONGEST_REQUEST = 4_096;
/** Milliseconds for which output is waited for after the end: processes outside of the container may have the pipes. */
const OUTPUT_MS = 2_000;
/** Milliseconds between attempts to write the outcome while the disk is full. */
const RETRY_MS = 1_000;
const NOT_STARTED = 128;

/**
 * Keeps one container: starts its program, holds its streams, writes its log and its progress, and ends with it. It has
 * a session of its own, so that it survives who has started it.
 */
export class ContainerSupervisor {
  readonly #record: ContainerRecord;
  readonly #log: ContainerLog;
  readonly #attached = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #launched: Launched | undefined;
  #progress: ContainerProgress;

  /** @param folder of the container, with its record */
  constructor(private readonly folder: string) {
    const record = readJson<ContainerRecord>(join(folder, CONTAINER_FILES.record));
    const supervisor = identityOf(process.pid);
    if (!record || !supervisor) throw new Error(`${folder} is no container`);
    this.#record = record;
    this.#log = new ContainerLog(record.logPath);
    this.#progress = { supervisor };
    this.#server = createServer((socket) => this.#connected(socket));
  }

  /** Runs the container to its end. */
  async run(): Promise<void> {
    this.#write({});
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      // The descriptor stays open: the server removes the socket by its path when it is closed.
      this.#server.listen(openControlPath(this.folder).path, resolve);
    });
    // Who has started it may have ended, and the next one has stopped the sandbox meanwhile.
    if (!this.#isWanted()) return this.#fail('the sandbox is not ready');
    const { config } = this.#record.request;
    const launched = new Launched(this.folder, this.#record.launch, config.stdin === true);
    this.#launched = launched;
    const outcome = await launched.started();
    if ('failure' in outcome) return this.#fail(outcome.failure);
    const { startTicks } = identityOf(outcome.pid) ?? {};
    const startedAt = systemClock.wall();
    this.#write({ pid: outcome.pid, startedAt, ...(startTicks !== undefined && { startTicks }) });
    this.#report('');
    if (outcome.stderr) this.#output('stderr', outcome.stderr);
    await this.#toEnd(launched);
    this.#close();
  }

  #isWanted(): boolean {
    const sandbox = join(this.folder, '../../sandboxes', this.#record.request.sandboxId, SANDBOX_RECORD);
    return readJson<SandboxRecord>(sandbox)?.state === 'ready';
  }

  async #fail(message: string): Promise<void> {
    const at = systemClock.wall();
    await this.#writeOutcome({ startedAt: at, finishedAt: at, exitCode: NOT_STARTED, reason: 'StartError', message });
    this.#report(message);
    this.#close();
  }

  async #toEnd(launched: Launched): Promise<void> {
    const outputs = [this.#follow('stdout', launched.stdout), this.#follow('stderr', launched.stderr)];
    const exitCode = await launched.ended;
    await Promise.race([Promise.all(outputs), new Promise<void>((resolve) => systemClock.after(OUTPUT_MS, resolve))]);
    const reason = exitReason(exitCode, exitCode !== 0 && hasRunOutOfMemory(this.#record.launch.cgroups));
    this.#log.close();
    await this.#writeOutcome({ finishedAt: systemClock.wall(), exitCode, reason });
    for (const socket of this.#attached) socket.write(frame(FRAME.exit, Buffer.from(`${exitCode}`)));
  }

  #follow(stream: LogStream, output: Readable): Promise<void> {
    return new Promise((resolve) => {
      if (output.closed) return resolve();
      output.on('data', (piece: Buffer) => this.#output(stream, piece));
      output.on('close', resolve);
    });
  }

  #output(stream: LogStream, piece: Buffer): void {
    this.#log.write(stream, piece);
    for (const socket of this.#attached) {
      // An attachment that does not read gets no more, so that the container goes on.
      if (socket.writableLength > LONGEST_BACKLOG) socket.destroy();
      else socket.write(frame(FRAME[stream], piece));
    }
  }

  #write(more: Omit<ContainerProgress, 'supervisor'>): void {
    this.#progress = { ...this.#progress, ...more };
    writeJson(join(this.folder, CONTAINER_FILES.progress), this.#progress);
  }

  /** Writes how the container has ended; nobody else knows it. */
  async #writeOutcome(outcome: Omit<ContainerProgress, 'supervisor'>): Promise<void> {
    for (;;) {
      try {
        return this.#write(outcome);
      } catch (error) {
        if (!FULL.has((error as NodeJS.ErrnoException).code)) throw error;
        await sleep(systemClock, RETRY_MS);
      }
    }
  }

  #report(failure: string): void {
    try {
      writeSync(REPORT, `${JSON.stringify({ failure })}\n`);
      closeSync(REPORT);
    } catch {
      // Who has started it is gone.
    }
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#attached.delete(socket);
    });
    socket.on('error', () => socket.destroy());
    let head = Buffer.alloc(0);
    const onData = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf(0x0a);
      if (end < 0 && head.length > LONGEST_REQUEST) socket.destroy();
      if (end < 0) return;
      socket.off('data', onData);
      try {
        this.#carryOut(JSON.parse(head.toString('utf8', 0, end)), socket, head.subarray(end + 1));
      } catch {
        // A request that cannot be carried out ends its connection, not the container.
        socket.destroy();
      }
    };
    socket.on('data', onData);
  }

  #carryOut(request: SupervisorRequest, socket: Socket, rest: Buffer): void {
    if (request.op === 'signal') {
      this.#launched?.signal(request.signal as NodeJS.Signals);
      socket.resume().write('\n');
    } else if (request.op === 'reopen') {
      this.#log.reopen();
      socket.resume().end('\n');
    } else {
      this.#attached.add(socket);
      const reader = new SupervisorFrameReader((kind, content) => this.#input(kind, content, socket));
      reader.push(rest);
      socket.on('data', (piece: Buffer) => reader.push(piece));
      socket.on('end', () => {
        if (this.#record.request.config.stdinOnce) this.#launched?.child.stdin?.end();
      });
    }
  }

  /** A container that does not read its input holds up who sends it, and not this process's memory. */
  #input(kind: number, content: Buffer, socket: Socket): void {
    const stdin = this.#launched?.child.stdin;
    if (!stdin?.writable) return;
    if (kind === FRAME.stdin) {
      if (stdin.write(content)) return;
      socket.pause();
      for (const event of ['drain', 'close']) stdin.once(event, () => socket.resume());
    } else if (kind === FRAME.stdinEnd) stdin.end();
  }

  /** Ends all connections, which tells that the progress has been written. */
  #close(): void {
    for (const socket of this.#sockets) socket.end();
    this.#server.close();
    rmSync(join(this.folder, CONTAINER_FILES.control), { force: true });
  }
}

/** Errors of a full disk. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Bytes that an attachment may be behind. */
const LONGEST_BACKLOG = 16 << 20;
