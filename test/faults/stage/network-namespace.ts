import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

/**
 * A network of its own behind a virtual cable, which can be pulled: no end of a connection is told, as no proxy could do
 * it, since the kernel beneath a proxy answers in its place. Needs root.
 */
export class NetworkNamespace {
  readonly #cables: readonly [string, string];
  #isWired = false;

  private constructor(
    private readonly name: string,
    /** Address of this side, as the other sees it. */
    readonly host: string,
    /** Address of the other side. */
    readonly distantHost: string,
  ) {
    this.#cables = [`${name}o`, `${name}i`];
  }

  /** @param number 0 to 255, picks the addresses 10.213.number.1 and .2 */
  static create(number: number): NetworkNamespace {
    const name = `orch${number}`;
    const namespace = new NetworkNamespace(name, `10.213.${number}.1`, `10.213.${number}.2`);
    const [outer, inner] = namespace.#cables;
    ip('netns', 'add', name);
    try {
      ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name);
      namespace.#isWired = true;
      ip('addr', 'add', `${namespace.host}/30`, 'dev', outer);
      ip('link', 'set', outer, 'up');
      ip('-n', name, 'addr', 'add', `${namespace.distantHost}/30`, 'dev', inner);
      ip('-n', name, 'link', 'set', inner, 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
    } catch (error) {
      namespace.remove();
      throw error;
    }
    return namespace;
  }

  /** Starts a program inside. */
  spawn(command: string, args: readonly string[]): ChildProcess {
    return spawn('ip', ['netns', 'exec', this.name, command, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  }

  /** Nothing passes any more, without a word to either side. */
  pull(): void {
    ip('-n', this.name, 'link', 'set', this.#cables[1], 'down');
  }

  /** The cable first: it goes with the namespace, but that lasts as long as the kernel has connections in it. */
  remove(): void {
    if (this.#isWired) ip('link', 'del', this.#cables[0]);
    ip('netns', 'del', this.name);
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
