import type { IncomingMessage, ServerResponse } from 'node:http';

/** A log of a container that is made up: what is written to it so far, and to those who follow it as it comes. */
export class PodLog {
  #text: string;
  readonly #followers = new Set<ServerResponse>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds text. */
  write(text: string): void {
    this.#text += text;
    for (const each of this.#followers) each.write(text);
  }

  /** Answers what an agent is asked for a log, of which it knows `follow` and `tailLines`. */
  readonly answer = (req: IncomingMessage, res: ServerResponse): void => {
    const { searchParams } = new URL(req.url ?? '/', 'https://agent');
    const lines = this.#text.split(/(?<=\n)/);
    res.write(lines.slice(-Number(searchParams.get('tailLines') ?? lines.length)).join(''));
    if (searchParams.get('follow') !== 'true') return void res.end();
    this.#followers.add(res);
    res.once('close', () => this.#followers.delete(res));
  };
}
