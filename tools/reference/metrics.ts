import { releaseMetrics } from '@orch/apiserver';
import { code, table } from './table.js';

/** Every metric by its name. */
export async function metricTable(): Promise<string> {
  const rows = (await releaseMetrics()).map(({ name, type, stability = '', labels, help, deprecated, hidden }) => {
    const state = deprecated === undefined ? '' : ` (deprecated since ${deprecated}${hidden ? ', hidden' : ''})`;
    return [code(name), type, stability, labels.map(code).join(', '), `${help}${state}`];
  });
  return table(['metric', 'type', 'stability', 'labels', 'meaning'], rows);
}
