import type { IncomingMessage } from 'node:http';
import { Api } from '../../support/api.js';
import type { Stage } from './stage.js';

/** One of many watchers. It records only what it received and when. */
export class Member {
  /** Versions in the order of their coming, bookmarks apart. */
  readonly versions: string[] = [];
  /** Milliseconds that events took which say when they were sent. */
  readonly latencies: number[] = [];
  ended = false;
  synced = false;
  #text = '';

  constructor(
    readonly status: number,
    readonly retryAfter: string | undefined,
    private readonly message: IncomingMessage,
  ) {
    message.setEncoding('utf8');
    message.on('data', (text: string) => this.#receive(text));
    message.once('close', () => {
      this.ended = true;
    });
    message.on('error', () => undefined);
  }

  /** Stops reading, so that the buffers on the way fill up. */
  stall(): void {
    this.message.pause();
  }

  wake(): void {
    this.message.resume();
  }

  close(): void {
    this.message.destroy();
  }

  #receive(text: string): void {
    const now = performance.now();
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      // The rest of an event is not worth parsing a thousand times.
      if (line.startsWith('{"type":"BOOKMARK"')) {
        if (line.includes('"k8s.io/initial-events-end":"true"')) this.synced = true;
        continue;
      }
      const version = /"resourceVersion":"(\d+)"/.exec(line)?.[1];
      if (version !== undefined) this.versions.push(version);
      const sent = /"sent":"([\d.]+)"/.exec(line)?.[1];
      if (sent !== undefined) this.latencies.push(now - Number(sent));
    }
  }
}

/** Many watchers on connections of their own. */
export class Crowd {
  readonly #api: Api;

  /** @param token of whom they are; the administrator's when absent */
  constructor(stage: Stage, url: string = stage.cluster.url, token: string = stage.cluster.token) {
    this.#api = new Api({ url, ca: stage.cluster.ca, token });
  }

  /** Opens one watch; the answer may be a refusal. */
  async join(path: string): Promise<Member> {
    const message = await this.#api.open('GET', path, {});
    return new Member(message.statusCode ?? 0, message.headers['retry-after'], message);
  }

  /** Opens so many watches, some at a time. */
  async gather(count: number, path: string, atOnce = 50): Promise<Member[]> {
    const members: Member[] = [];
    while (members.length < count) {
      const some = Math.min(atOnce, count - members.length);
      members.push(...(await Promise.all(Array.from({ length: some }, () => this.join(path)))));
    }
    return members;
  }

  close(): void {
    this.#api.close();
  }
}
