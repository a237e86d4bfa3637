import { decodeJsonObject, decodeProtobufObject, encodeObject, encodeUnknown, stringifyJson } from '@orch/codec';
import { namesOf } from '@orch/machinery';
import { deployment, pod } from '@orch/machinery/testing';
import { loadScheme, type StructSchema } from '@orch/schema';
import type { Measurement } from '../report.js';

const ROUNDS = 5;
const ROUND_BYTES = 10 << 20;

/** How fast the codecs are that the server has, within this process: bytes of the encoded form, of some rounds the best. */
export function codecMeasurements(): Measurement[] {
  const scheme = loadScheme(namesOf('kubernetes'));
  const schemaOf = (group: string, kind: string): StructSchema => {
    const schema = scheme.kind(group, 'v1', kind)?.schema;
    if (!schema) throw new Error(`there is no ${kind}`);
    return schema;
  };
  return [
    ...measureBoth('a Deployment of 5 KiB', schemaOf('apps', 'Deployment'), deployment('d', 1)),
    ...measureBoth('a Pod of 20 KiB', schemaOf('', 'Pod'), pod(4, { variables: 75 })),
  ];
}

function measureBoth(what: string, schema: StructSchema, object: ReturnType<typeof deployment>): Measurement[] {
  const type = { apiVersion: String(object.apiVersion), kind: String(object.kind) };
  const json = Buffer.from(stringifyJson(object));
  const protobuf = encodeUnknown({ ...type, raw: encodeObject(schema, object) });
  return [
    rate(`decode ${what}, JSON`, json.length, () => decodeJsonObject(schema, json)),
    rate(`encode ${what}, JSON`, json.length, () => Buffer.from(stringifyJson(object))),
    rate(`decode ${what}, protobuf`, protobuf.length, () => decodeProtobufObject(schema, protobuf)),
    rate(`encode ${what}, protobuf`, protobuf.length, () =>
      encodeUnknown({ ...type, raw: encodeObject(schema, object) }),
    ),
  ];
}

function rate(name: string, bytes: number, run: () => unknown): Measurement {
  const times = Math.ceil(ROUND_BYTES / bytes);
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) run();
    const { user, system } = process.cpuUsage(before);
    best = Math.max(best, (times * bytes) / (user + system));
  }
  return { name, unit: 'MB/s', value: best };
}
