import { createHash } from 'node:crypto';
import type { CounterSeries, HistogramSeries, Metrics } from '@orch/runtime';
import type { UnreadableBodyError } from '@orch/storage';
import type { Direction, EncryptionObserver } from './observer.js';

const doubling = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i);

/** Ids of keys that are told apart; what comes beyond them counts together. */
const TOLD_APART = 100;
const OTHER = 'other';

/** Observer of encryption, and of what reads its configuration again. */
interface EncryptionMetrics extends EncryptionObserver {
  /** Counts an attempt to read a changed configuration. */
  reloaded(failed: boolean): void;
}

/** Counts and times what encryption at rest does, under the names of the reference. */
export function encryptionMetrics(metrics: Metrics): EncryptionMetrics {
  const keys = keyMetrics(metrics);
  const generation = metrics.histogram({
    name: 'apiserver_storage_data_key_generation_duration_seconds',
    help: 'Time to generate a data encryption key and to have it encrypted by the key management service.',
    labels: [] as const,
    buckets: doubling(5e-6, 14),
  });
  const generationFailures = metrics.counter({
    name: 'apiserver_storage_data_key_generation_failures_total',
    help: 'Number of failed generations of data encryption keys.',
    labels: [] as const,
  });
  const misses = metrics.counter({
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    help: 'Number of data encryption keys that a key management service had to decrypt.',
    labels: [] as const,
  });
  const calls = metrics.histogram({
    name: 'apiserver_envelope_encryption_kms_operations_latency_seconds',
    help: 'Duration of calls to key management services, by gRPC status code.',
    labels: ['provider_name', 'method_name', 'grpc_status_code'] as const,
    buckets: doubling(1e-4, 20),
  });
  const reloads = metrics.counter({
    name: 'orch_encryption_config_reloads_total',
    help: 'Number of reloads of a changed encryption configuration, by whether it is in effect.',
    labels: ['result'] as const,
  });
  const reloadedAt = metrics.gauge({
    name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    help: 'Time of the last reload of the encryption configuration, by success or failure; 0 if there was none.',
    labels: ['status'] as const,
  });
  for (const status of ['success', 'failure'] as const) reloadedAt.with(status).set(0);
  return {
    transformed: transformations(metrics),
    keyGenerated(ms, failed) {
      if (failed) generationFailures.with().inc();
      else generation.with().observe(ms / 1000);
    },
    keyMissed: () => misses.with().inc(),
    ...keys,
    kmsCall: (provider, method, ms, code) => calls.with(provider, method, code).observe(ms / 1000),
    reloaded(failed) {
      const result = failed ? 'failure' : 'success';
      reloads.with(result).inc();
      reloadedAt.with(result).set(Date.now() / 1000);
    },
  };
}

/** Counts objects that what is kept of a type in memory has to do without, as they cannot be opened: each time that they are looked at. */
export function leftOutObjects(metrics: Metrics): (error: UnreadableBodyError) => void {
  const leftOut = metrics.counter({
    name: 'orch_unreadable_objects_total',
    help: 'Number of times that an object that this process needs was left out because it could not be decrypted; the process retries until it can be read.',
    labels: ['group', 'resource'] as const,
  });
  return ({ what: { type } }) => leftOut.with(type.group, type.resource).inc();
}

/** Called for each body that is read or written: series are looked up once. */
function transformations(metrics: Metrics): Required<EncryptionObserver>['transformed'] {
  const operations = metrics.counter({
    name: 'apiserver_storage_transformation_operations_total',
    help: 'Number of bodies that were encrypted or decrypted, or stored unencrypted by the identity provider.',
    labels: ['transformation_type', 'transformer_prefix', 'status'] as const,
  });
  const durations = metrics.histogram({
    name: 'apiserver_storage_transformation_duration_seconds',
    help: 'Time to encrypt or decrypt a body.',
    labels: ['transformation_type', 'transformer_prefix'] as const,
    buckets: doubling(5e-6, 25),
  });
  interface Series {
    readonly succeeded: CounterSeries;
    readonly failed: CounterSeries;
    readonly duration: HistogramSeries;
  }
  const known = new Map<string, Series>();
  const seriesOf = (direction: Direction, provider: string): Series => {
    const key = `${direction} ${provider}`;
    const series = known.get(key) ?? {
      succeeded: operations.with(direction, provider, 'OK'),
      failed: operations.with(direction, provider, 'Unknown'),
      duration: durations.with(direction, provider),
    };
    known.set(key, series);
    return series;
  };
  return (direction, provider, ms, failed) => {
    const { succeeded, failed: failures, duration } = seriesOf(direction, provider);
    if (failed) return failures.inc();
    succeeded.inc();
    duration.observe(ms / 1000);
  };
}

/** Ids of keys are told by their hash, which says nothing of where the key lies. */
function keyMetrics(metrics: Metrics): Required<Pick<EncryptionObserver, 'keyUsed' | 'keyTold' | 'invalidKeyTold'>> {
  const hashes = new Map<string, string>();
  const hashOf = (keyId: string): string => {
    const known = hashes.get(keyId);
    if (known !== undefined) return known;
    if (hashes.size >= TOLD_APART) return OTHER;
    const hash = `sha256:${createHash('sha256').update(keyId).digest('hex')}`;
    hashes.set(keyId, hash);
    return hash;
  };
  const uses = metrics.counter({
    name: 'apiserver_envelope_encryption_key_id_hash_total',
    help: 'Number of bodies that were encrypted or decrypted with the key of a key ID.',
    labels: ['transformation_type', 'provider_name', 'key_id_hash'] as const,
  });
  const used = metrics.gauge({
    name: 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
    help: 'Time of the last use of a key ID.',
    labels: ['transformation_type', 'provider_name', 'key_id_hash'] as const,
  });
  const told = metrics.gauge({
    name: 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    help: 'Time at which a key management service last reported a key ID as its current one.',
    labels: ['provider_name', 'key_id_hash'] as const,
  });
  const invalid = metrics.counter({
    name: 'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    help: 'Number of times that a key management service reported an invalid key ID.',
    labels: ['provider_name', 'error'] as const,
  });
  return {
    keyUsed(direction, provider, keyId) {
      const hash = hashOf(keyId);
      uses.with(direction, provider, hash).inc();
      used.with(direction, provider, hash).set(Date.now() / 1000);
    },
    keyTold: (provider, keyId) => told.with(provider, hashOf(keyId)).set(Date.now() / 1000),
    invalidKeyTold: (provider, error) => invalid.with(provider, error).inc(),
  };
}
