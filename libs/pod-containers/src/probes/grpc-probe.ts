import type { ServiceError } from '@grpc/grpc-js';
import type { Clock } from '@orch/runtime';
import { Reader, Writer } from 'protobufjs/minimal.js';
import { hostAndPort, type ProbeLimits, type ProbeOutcome } from './probe-outcome.js';

const METHOD = '/grpc.health.v1.Health/Check';
const SERVING = 1;
const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** Codes of gRPC whose meaning the reference words. */
const [UNIMPLEMENTED, DEADLINE_EXCEEDED] = [12, 4];

/** Returns the bytes of a HealthCheckRequest: field 1 is the service. */
const encodeRequest = (service: string): Buffer =>
  Buffer.from(service === '' ? [] : Writer.create().uint32(10).string(service).finish());

/** Returns the status of a HealthCheckResponse, field 1. */
function decodeResponse(bytes: Buffer): number {
  const reader = Reader.create(bytes);
  let status = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 8) status = reader.int32();
    else reader.skipType(tag & 7);
  }
  return status;
}

/** Asks a gRPC server for the health of a service (`grpc.health.v1`); an empty name means the server. */
export async function probeGrpc(
  host: string,
  port: number,
  service: string,
  { timeoutMs }: ProbeLimits,
  clock: Clock,
): Promise<ProbeOutcome> {
  // Loaded with the first probe of this kind: few pods have one.
  const { Client, credentials, Metadata } = await import('./grpc-library.js');
  const address = hostAndPort(host, port);
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.primary_user_agent': 'kube-probe/1.27',
    'grpc.enable_http_proxy': 0,
    'grpc.use_local_subchannel_pool': 1,
  });
  const deadline = clock.wall() + timeoutMs;
  try {
    return await new Promise<ProbeOutcome>((resolve) => {
      client.makeUnaryRequest(
        METHOD,
        encodeRequest,
        decodeResponse,
        service,
        new Metadata(),
        { deadline },
        (error: ServiceError | null, status?: number) =>
          resolve(error ? failureOf(error, address) : outcomeOf(status ?? 0)),
      );
    });
  } finally {
    client.close();
  }
}

function outcomeOf(status: number): ProbeOutcome {
  if (status === SERVING) return { result: 'success', output: '' };
  return { result: 'failure', output: `service unhealthy (responded with "${STATUS_NAMES[status] ?? status}")` };
}

function failureOf({ code, details, message }: ServiceError, address: string): ProbeOutcome {
  const failure = (output: string): ProbeOutcome => ({ result: 'failure', output });
  if (code === UNIMPLEMENTED)
    return failure('this server does not implement the grpc health protocol (grpc.health.v1.Health)');
  if (code === DEADLINE_EXCEEDED) return failure(`timeout: failed to connect service "${address}" within the deadline`);
  return failure(`error: health rpc probe failed: ${details || message}`);
}
