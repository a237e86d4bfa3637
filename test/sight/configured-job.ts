import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const FILE = fileURLToPath(new URL('../../deploy/prometheus/prometheus.yml', import.meta.url));

/** A job of a configuration of Prometheus, as far as tests look at it. */
export interface ConfiguredJob {
  readonly job_name: string;
  readonly relabel_configs?: readonly { readonly target_label: string }[];
}

/** The job of this name in `deploy/prometheus/prometheus.yml`. */
export function configuredJob(name: string): ConfiguredJob {
  const { scrape_configs: jobs } = parse(readFileSync(FILE, 'utf8')) as { scrape_configs: readonly ConfiguredJob[] };
  const job = jobs.find(({ job_name }) => job_name === name);
  if (!job) throw new Error(`prometheus.yml has no job ${name}`);
  return job;
}
