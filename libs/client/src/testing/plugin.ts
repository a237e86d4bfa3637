import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecPlugin } from '../credentials/exec-plugin.js';

const SCRIPT = `#!/bin/sh
printf '%s\\n' "\${ORCH_EXEC_INFO}|\${KUBERNETES_EXEC_INFO}|\${EXTRA}|$*" >> "$0.runs"
. "$0.does"
`;

/** A credential plugin that does what a test says, and keeps what it was told. */
export class Plugin {
  private constructor(readonly dir: string) {}

  static async make(): Promise<Plugin> {
    const plugin = new Plugin(await mkdtemp(join(tmpdir(), 'plugin-')));
    await writeFile(plugin.command, SCRIPT);
    await chmod(plugin.command, 0o755);
    await plugin.does('exit 1');
    return plugin;
  }

  get command(): string {
    return join(this.dir, 'plugin');
  }

  /** As a configuration names it. */
  config(more: Partial<ExecPlugin> = {}): ExecPlugin {
    return {
      apiVersion: 'client.authentication.orch.io/v1',
      command: this.command,
      interactiveMode: 'Never',
      ...more,
    };
  }

  /** From now on it runs these commands of the shell. */
  does(commands: string): Promise<void> {
    return this.write('does', commands);
  }

  /** Writes a file beside the program, `$0.NAME` to it. */
  write(name: string, text = ''): Promise<void> {
    return writeFile(`${this.command}.${name}`, text);
  }

  /** From now on it prints this. */
  async prints(output: string): Promise<void> {
    await this.write('out', output);
    await this.does('cat "$0.out"');
  }

  /** From now on it gives these credentials. */
  gives(status: object, apiVersion = 'client.authentication.orch.io/v1'): Promise<void> {
    return this.prints(JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));
  }

  /** What it was told, run by run: the two variables, `EXTRA` and its arguments. */
  async runs(): Promise<string[][]> {
    const text = await readFile(`${this.command}.runs`, 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('|'));
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true });
  }
}
