import { badRequest, type FieldError, invalid, invalidValue, type Names, notSupported } from '@orch/machinery';
import { parseBool } from '@orch/reading';
import { DeclaredModel } from '@orch/resources';
import type { StructSchema } from '@orch/schema';
import type { DeletionOptions, PropagationPolicy } from '@orch/writing';
import { type BodyReading, bodyEncoding, decodeBody } from './decode-body.js';
import { dryRunErrors, dryRunOf } from './write-options.js';

const POLICIES: readonly PropagationPolicy[] = ['Foreground', 'Background', 'Orphan'];

/** Options of a deletion as they come. */
export interface WireDeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  orphanDependents?: boolean;
  dryRun?: string[];
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** The shape of the body; its group is the core group in requests, whatever group the object is of. */
interface DeleteOptionsSource {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  readonly query: URLSearchParams;
  readonly schema: StructSchema;
  readonly names: Names;
  readonly reading: BodyReading;
}

/**
 * Options of a deletion from the body, else from the query.
 * @throws StatusError 400 for what cannot be read, 422 for values that do not go together
 */
export async function deleteOptions(source: DeleteOptionsSource): Promise<DeletionOptions> {
  if (source.body.length === 0) return settledOptions(fromQuery(source.query), source.names);
  const wire = await fromBody(source);
  const errors = dryRunErrors(wire.dryRun ?? []);
  if (errors.length > 0) throw invalid('DeleteOptions', source.names.metaGroup, '', errors);
  const dryRun = [...(wire.dryRun ?? []), ...source.query.getAll('dryRun')];
  return settledOptions({ ...wire, dryRun }, source.names);
}

/** @throws StatusError 422 for values that do not go together */
export function settledOptions(wire: WireDeleteOptions, names: Names): DeletionOptions {
  const errors: FieldError[] = [];
  const dryRun = dryRunOf(wire.dryRun ?? [], errors);
  const policy = policyOf(wire, errors);
  if (errors.length > 0) throw invalid('DeleteOptions', names.metaGroup, '', errors);
  const { gracePeriodSeconds, preconditions } = wire;
  return {
    dryRun,
    // A negative period would never end; the least that one can wait is a second.
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds }),
    ...(policy && { propagationPolicy: policy }),
    ...(preconditions?.uid && { uid: preconditions.uid }),
    ...(preconditions?.resourceVersion && { resourceVersion: preconditions.resourceVersion }),
  };
}

async function fromBody({
  body,
  contentType,
  schema,
  names,
  reading,
}: DeleteOptionsSource): Promise<WireDeleteOptions> {
  const model = new DeclaredModel({ group: '', version: 'v1', kind: 'DeleteOptions' }, schema);
  const encoding = bodyEncoding(contentType, names, model);
  const { object } = await decodeBody(reading, body, encoding, model, 'any-group');
  return object as WireDeleteOptions;
}

function fromQuery(query: URLSearchParams): WireDeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && !/^-?[0-9]{1,15}$/.test(grace)) {
    throw badRequest(`Invalid value: ${JSON.stringify(grace)}: gracePeriodSeconds is not an integer`);
  }
  const orphanDependents = parseBool(query, 'orphanDependents');
  const propagationPolicy = query.get('propagationPolicy');
  return {
    dryRun: query.getAll('dryRun'),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== null && { propagationPolicy }),
  };
}

function policyOf(wire: WireDeleteOptions, errors: FieldError[]): PropagationPolicy | undefined {
  const { propagationPolicy: policy, orphanDependents } = wire;
  if (policy !== undefined && orphanDependents !== undefined) {
    const text = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', policy, text));
  }
  if (policy !== undefined && !isPolicy(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  if (policy && isPolicy(policy)) return policy;
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

const isPolicy = (text: string): text is PropagationPolicy => (POLICIES as readonly string[]).includes(text);
