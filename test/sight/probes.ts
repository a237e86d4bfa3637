import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { accepts, freePort, ManagedProcess } from '../../tools/up/index.js';
import { programOf } from './prometheus.js';

const here = (path: string) => fileURLToPath(new URL(`../../deploy/prometheus/${path}`, import.meta.url));
const JOB = 'orch-probes';

interface Job {
  readonly job_name: string;
  readonly relabel_configs: readonly { readonly target_label: string }[];
}

/** A blackbox exporter with the modules that operators are given. */
export interface Probes {
  readonly process: ManagedProcess;
  /** The job of `deploy/prometheus/prometheus.yml`, which asks it about these addresses, by module. */
  job(targets: Readonly<Record<string, string>>): object;
}

/** @param ca PEM of the authorities of what is asked */
export async function startProbes(dir: string, ca: string): Promise<Probes> {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'ca.crt'), ca);
  const port = await freePort();
  const name = 'prometheus-blackbox-exporter';
  const process = new ManagedProcess({
    name: 'probes',
    command: programOf(name, name),
    args: [`--config.file=${here('blackbox.yml')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'],
    cwd: dir,
    logFile: join(dir, 'probes.log'),
    ready: () => accepts(port),
  });
  await process.start();
  return { process, job: (targets) => jobOf(port, targets) };
}

function jobOf(port: number, targets: Readonly<Record<string, string>>): object {
  const { scrape_configs: jobs } = parse(readFileSync(here('prometheus.yml'), 'utf8')) as { scrape_configs: Job[] };
  const job = jobs.find(({ job_name }) => job_name === JOB);
  if (!job) throw new Error(`prometheus.yml has no job ${JOB}`);
  return {
    ...job,
    static_configs: Object.entries(targets).map(([module, target]) => ({
      labels: { __param_module: module },
      targets: [target],
    })),
    relabel_configs: job.relabel_configs.map((relabeling) =>
      relabeling.target_label === '__address__' ? { ...relabeling, replacement: `127.0.0.1:${port}` } : relabeling,
    ),
  };
}
