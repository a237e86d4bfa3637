import type { Stage } from './stage.js';

/** Metrics of a server at one moment. */
export class Scrape {
  constructor(private readonly text: string) {}

  /** The sum over the series of a metric whose labels hold a text as `resource="configmaps"`; 0 when there is none. */
  sum(name: string, label = ''): number {
    let sum = 0;
    for (const [, labels = '', value] of this.text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)`, 'gm'))) {
      if (labels.includes(label)) sum += Number(value);
    }
    return sum;
  }
}

export async function scrape(stage: Stage, url: string): Promise<Scrape> {
  return new Scrape((await stage.api(url).get('/metrics')).text);
}
