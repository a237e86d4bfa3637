/** The response of one worker to `GET /metrics`. */
export interface WorkerMetrics {
  /** Place of the worker, from 1. */
  readonly worker: number;
  /** Prometheus text format. */
  readonly body: string;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S.*)$/;

/** The metrics of all workers as one page: every series with a label `worker`, every family described once. */
export function mergeMetrics(pages: readonly WorkerMetrics[]): string {
  const families = new Map<string, { readonly head: string[]; readonly samples: string[] }>();
  for (const { worker, body } of pages) {
    let family: { head: string[]; samples: string[] } | undefined;
    for (const line of body.split('\n')) {
      const [mark, about, name = ''] = line.split(' ', 3);
      if (mark === '#' && (about === 'HELP' || about === 'TYPE')) {
        family = families.get(name) ?? { head: [], samples: [] };
        families.set(name, family);
        if (!family.head.some((known) => known.startsWith(`# ${about} `))) family.head.push(line);
      } else {
        const [, sample, labels, value] = SAMPLE.exec(line) ?? [];
        if (sample) family?.samples.push(`${sample}{worker="${worker}"${labels ? `,${labels}` : ''}} ${value}`);
      }
    }
  }
  return [...families.values()].flatMap(({ head, samples }) => [...head, ...samples, '']).join('\n');
}
