import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, ManagedProcess, which } from '../../tools/up/index.js';

const INSTALLER = fileURLToPath(new URL('../../tools/up/install-packages.sh', import.meta.url));

export const prometheusProgram = (name: 'prometheus' | 'promtool'): string => programOf('prometheus', name);

/** Path of a program of a package, which is installed when it is missing. */
export function programOf(packageName: string, name: string): string {
  if (which(name) === undefined)
    execFileSync('bash', [INSTALLER, packageName], { stdio: ['ignore', 'inherit', 'inherit'] });
  const path = which(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

/** Names of files that scrapes need. */
export interface ScrapeFiles {
  readonly ca: string;
  readonly token: string;
}

export interface PrometheusSettings {
  readonly dir: string;
  /** Creates the scrape configurations, given the names of files with `ca` and `token`. */
  readonly scrapeConfigs: (files: ScrapeFiles) => readonly object[];
  /** Texts of rule files, by name. */
  readonly rules: Readonly<Record<string, string>>;
  /** Seconds between two scrapes, and two evaluations of rules. */
  readonly step: number;
  /** PEM of the authority of the targets, and a bearer token for them. */
  readonly ca: string;
  readonly token: string;
  /** Samples from before the start, as OpenMetrics. */
  readonly past?: string | undefined;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

/** A Prometheus of its own. */
export class Prometheus {
  private constructor(
    readonly process: ManagedProcess,
    private readonly port: number,
    private readonly configure: (scrapeConfigs: readonly object[]) => void,
  ) {}

  static async start({ dir, scrapeConfigs, rules, step, ca, token, past }: PrometheusSettings): Promise<Prometheus> {
    mkdirSync(dir, { recursive: true });
    const file = (name: string, text: string) => {
      writeFileSync(join(dir, name), text, { mode: 0o600 });
      return name;
    };
    for (const [name, text] of Object.entries(rules)) file(name, text);
    const configure = (configs: readonly object[]) =>
      file(
        'prometheus.yml',
        JSON.stringify({
          global: {
            scrape_interval: `${step}s`,
            scrape_timeout: `${Math.min(step, 10)}s`,
            evaluation_interval: `${step}s`,
          },
          rule_files: Object.keys(rules),
          scrape_configs: configs,
        }),
      );
    if (past !== undefined) {
      const blocks = ['tsdb', 'create-blocks-from', 'openmetrics', join(dir, file('past', past)), join(dir, 'data')];
      execFileSync(prometheusProgram('promtool'), blocks, { stdio: ['ignore', 'ignore', 'inherit'] });
    }
    const port = await freePort();
    const server = new ManagedProcess({
      name: 'prometheus',
      command: prometheusProgram('prometheus'),
      args: [
        `--config.file=${join(dir, configure(scrapeConfigs({ ca: file('ca.crt', ca), token: file('token', token) })))}`,
        `--storage.tsdb.path=${join(dir, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      cwd: dir,
      logFile: join(dir, 'prometheus.log'),
      ready: async () => (await get(port, '/-/ready').catch(() => undefined)) !== undefined,
    });
    await server.start();
    return new Prometheus(server, port, configure);
  }

  /** Has it ask others from now on. */
  async ask(scrapeConfigs: readonly object[]): Promise<void> {
    this.configure(scrapeConfigs);
    await this.process.kill('SIGHUP');
  }

  /** The samples of a query at this moment. Throws with what is wrong with it. */
  async query(query: string): Promise<Sample[]> {
    const { resultType, result } = (await this.#ask(`query?query=${encodeURIComponent(query)}`)) as {
      resultType: string;
      result: { metric: Record<string, string>; value: [number, string] }[] | [number, string];
    };
    if (resultType === 'scalar') return [{ metric: {}, value: Number((result as [number, string])[1]) }];
    const samples = result as { metric: Record<string, string>; value: [number, string] }[];
    return samples.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** Labels of the alerts that fire. */
  async firing(): Promise<Readonly<Record<string, string>>[]> {
    const { alerts } = (await this.#ask('alerts')) as {
      alerts: { state: string; labels: Record<string, string> }[];
    };
    return alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels] : []));
  }

  /**
   * Of the last so many seconds those of the evaluations in which alerts fired, since 1970 and ascending, by alert.
   * @param nameOf what an alert with these labels is called
   */
  async firings(
    seconds: number,
    nameOf: (labels: Readonly<Record<string, string>>) => string,
  ): Promise<Map<string, number[]>> {
    const query = encodeURIComponent(`ALERTS{alertstate="firing"}[${seconds}s]`);
    const { result } = (await this.#ask(`query?query=${query}`)) as {
      result: { metric: Record<string, string>; values: [number, string][] }[];
    };
    const found = new Map<string, number[]>();
    for (const { metric, values } of result) {
      const name = nameOf(metric);
      found.set(name, [...(found.get(name) ?? []), ...values.map(([at]) => at)]);
    }
    for (const times of found.values()) times.sort((one, other) => one - other);
    return found;
  }

  async rules(): Promise<RuleState[]> {
    const { groups } = (await this.#ask('rules')) as { groups: { rules: RuleState[] }[] };
    return groups.flatMap(({ rules }) => rules);
  }

  async #ask(path: string): Promise<unknown> {
    const body = JSON.parse((await get(this.port, `/api/v1/${path}`, true)) ?? '{}');
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  }
}

/** The body of an answer; undefined when it is no 200, unless any answer will do. */
function get(port: number, path: string, any = false): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false }, async (answer) => {
      let text = '';
      for await (const piece of answer.setEncoding('utf8')) text += piece;
      resolve(any || answer.statusCode === 200 ? text : undefined);
    });
    sent.once('error', reject).end();
  });
}
