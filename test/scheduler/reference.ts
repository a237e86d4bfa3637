import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, vi } from 'vitest';
import { freePorts, ManagedProcess } from '../../tools/up/index.js';
import { buildComponent } from '../clients/control-plane/build-component.js';
import type { Standalone } from '../support/standalone.js';
import { CONFIGURATION } from './profiles.js';

/** Weighed scores by plugin and node. */
export type Scores = Readonly<Record<string, Readonly<Record<string, number>>>>;

const SCORED = /"Plugin scored node for pod" pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" score=(-?\d+)/g;

/** The scheduler of the release, and what it says in its log. */
export class ReferenceScheduler {
  #file = 0;
  #text = '';

  private constructor(private readonly process: ManagedProcess) {}

  /** Starts it beside a server. */
  static async start(server: Standalone): Promise<ReferenceScheduler> {
    const dir = dirname(server.kubeconfig);
    const config = join(dir, 'scheduler.json');
    const clientConnection = { kubeconfig: server.kubeconfig, qps: 1_000, burst: 1_000 };
    writeFileSync(config, JSON.stringify({ ...CONFIGURATION, clientConnection }));
    const [port] = await freePorts(1);
    const logs = ['-v=3', '--vmodule=schedule_one=10'];
    const access = ['authentication', 'authorization'].map((what) => `--${what}-kubeconfig=${server.kubeconfig}`);
    const serving = ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${dir}`];
    const started = new ManagedProcess({
      name: 'kube-scheduler',
      command: buildComponent('kube-scheduler'),
      args: [`--config=${config}`, ...access, ...serving, ...logs],
      logFile: join(dir, 'kube-scheduler.log'),
      ready: async () => true,
    });
    return new ReferenceScheduler(await started.start());
  }

  async stop(): Promise<void> {
    await this.process.stop();
    if (this.#file !== 0) closeSync(this.#file);
  }

  /** Forgets what it has said so far. */
  forget(): void {
    this.#read();
    this.#text = '';
  }

  /** Waits until it has said that something has happened to each of several objects. */
  async noticed(what: string, names: readonly string[]): Promise<void> {
    const lines = names.map((name) => `${what}"${name}"`);
    const missing = () => lines.filter((line) => !this.#read().includes(line));
    await vi.waitFor(() => expect(missing()).toEqual([]), { interval: 2, timeout: 30_000 });
  }

  /** The scores that it has given the nodes for a pod. */
  scores(pod: string): Scores {
    const scores: Record<string, Record<string, number>> = {};
    for (const [, of, plugin = '', node = '', score] of this.#read().matchAll(SCORED)) {
      if (of !== pod) continue;
      scores[plugin] ??= {};
      scores[plugin][node] = Number(score);
    }
    return scores;
  }

  #read(): string {
    this.#file ||= openSync(this.process.logFile, 'r');
    const piece = Buffer.alloc(1 << 16);
    for (let size = readSync(this.#file, piece); size > 0; size = readSync(this.#file, piece))
      this.#text += piece.toString('latin1', 0, size);
    return this.#text;
  }
}
