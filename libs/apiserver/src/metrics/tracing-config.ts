import { readFile } from 'node:fs/promises';
import { parseYaml } from '@orch/codec';

interface TracingConfiguration {
  readonly endpoint: string;
  readonly samplingRatePerMillion: number;
}

const DEFAULT_ENDPOINT = 'localhost:4318';
const GROUP = /^apiserver\.config\.[a-z0-9.-]+\/v1(?:alpha1|beta1)?$/;
const KNOWN: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion']);

/**
 * Reads the file of `--tracing-config-file`: a `TracingConfiguration` with `endpoint` (OTLP over HTTP) and
 * `samplingRatePerMillion` (default 0).
 * @throws Error that names the file, where it cannot be read or is invalid
 */
export async function readTracingConfig(file: string): Promise<TracingConfiguration> {
  try {
    return check(parseYaml(await readFile(file)).value);
  } catch (cause) {
    throw new Error(`--tracing-config-file ${file}: ${(cause as Error).message}`, { cause });
  }
}

function check(value: unknown): TracingConfiguration {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  const {
    apiVersion,
    kind,
    endpoint = DEFAULT_ENDPOINT,
    samplingRatePerMillion = 0,
  } = value as Record<string, unknown>;
  if (kind !== 'TracingConfiguration') throw new Error('kind must be TracingConfiguration');
  if (typeof apiVersion !== 'string' || !GROUP.test(apiVersion)) throw new Error(`unknown apiVersion: ${apiVersion}`);
  const unknown = Object.keys(value).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
  if (typeof endpoint !== 'string' || endpoint === '') throw new Error('endpoint must be a string');
  const rate = Number(samplingRatePerMillion);
  if (!Number.isInteger(rate) || rate < 0 || rate > 1e6)
    throw new Error('samplingRatePerMillion must be a whole number from 0 to 1000000');
  return { endpoint, samplingRatePerMillion: rate };
}
