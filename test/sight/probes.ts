import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accepts, freePort, ManagedProcess } from '../../tools/up/index.js';
import { type Manifest, render } from '../deploy/helm.js';
import { configuredJob } from './configured-job.js';
import { programOf } from './prometheus.js';

const MODULES = fileURLToPath(new URL('../../deploy/prometheus/blackbox.yml', import.meta.url));

/** A blackbox exporter with the modules that operators are given. */
export interface Probes {
  readonly process: ManagedProcess;
  /** The job of `deploy/prometheus/prometheus.yml`, which asks it about these addresses, by module. */
  job(targets: Targets): object;
  /** Converts the chart's `Probe`s to scrape jobs, as the Prometheus operator does. */
  jobsOfChart(targets: Targets): object[];
}

/** Addresses by the module that asks them. */
type Targets = Readonly<Record<string, string>>;

/** @param ca PEM of the authorities of what is asked */
export async function startProbes(dir: string, ca: string): Promise<Probes> {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'ca.crt'), ca);
  const port = await freePort();
  const name = 'prometheus-blackbox-exporter';
  const process = new ManagedProcess({
    name: 'probes',
    command: programOf(name, name),
    args: [`--config.file=${MODULES}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'],
    cwd: dir,
    logFile: join(dir, 'probes.log'),
    ready: () => accepts(port),
  });
  await process.start();
  return {
    process,
    job: (targets) => jobOf(port, targets),
    jobsOfChart: (targets) => probesOf(port, targets).map(scrapeConfigOf),
  };
}

function jobOf(port: number, targets: Targets): object {
  const job = configuredJob('orch-probes');
  return {
    ...job,
    static_configs: Object.entries(targets).map(([module, target]) => ({
      labels: { __param_module: module },
      targets: [target],
    })),
    relabel_configs: job.relabel_configs?.map((relabeling) =>
      relabeling.target_label === '__address__' ? { ...relabeling, replacement: `127.0.0.1:${port}` } : relabeling,
    ),
  };
}

/** The `Probe`s that the chart renders. */
function probesOf(port: number, targets: Targets): Manifest[] {
  const listed = Object.fromEntries(Object.entries(targets).map(([module, target]) => [module, [target]]));
  const values = { enabled: true, prober: `127.0.0.1:${port}`, targets: listed };
  const { objects } = render('values', `--set-json=monitoring.probe=${JSON.stringify(values)}`);
  return objects.filter(({ kind }) => kind === 'Probe');
}

/** Its `generateProbeConfig`: labels of what is asked are those of targets, and the exporter is asked in their place. */
const scrapeConfigOf = ({ metadata, spec }: Manifest): object => ({
  job_name: `probe/orch/${metadata.name}`,
  metrics_path: spec.prober.path ?? '/probe',
  scheme: spec.prober.scheme ?? 'http',
  params: { module: [spec.module] },
  static_configs: [{ targets: spec.targets.staticConfig.static, labels: { namespace: 'orch' } }],
  relabel_configs: [
    { target_label: 'job', replacement: spec.jobName },
    { source_labels: ['__address__'], target_label: '__param_target' },
    { source_labels: ['__param_target'], target_label: 'instance' },
    { target_label: '__address__', replacement: spec.prober.url },
  ],
});
