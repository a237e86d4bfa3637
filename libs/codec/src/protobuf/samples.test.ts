import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { namesOf, parseApiVersion } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { readObject } from '../read/read-object.js';
import { decodeProtobufObject, decodeUnknown, encodeObject, encodeUnknown, encodeWatchEvent } from './index.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SAMPLES = join(process.env.ORCH_SHARED ?? join(ROOT, '..', 'shared'), 'facts', 'samples');

interface Sample {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly jsonToPbExact: boolean;
  readonly pbToJsonExact: boolean;
}

const scheme = loadScheme(namesOf('kubernetes'));

function schemaOf(apiVersion: string, kind: string) {
  const gv = parseApiVersion(apiVersion);
  const found = gv && scheme.kind(gv.group, gv.version, kind);
  if (!found) throw new Error(`no kind ${apiVersion} ${kind}`);
  return found.schema;
}

describe.skipIf(!existsSync(SAMPLES))('samples of the binary form', () => {
  const samples = existsSync(SAMPLES)
    ? readFileSync(join(SAMPLES, 'index.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Sample)
    : [];

  it.each(samples)('$name', ({ name, apiVersion, kind, jsonToPbExact, pbToJsonExact }) => {
    const schema = schemaOf(apiVersion, kind);
    const json = JSON.parse(readFileSync(join(SAMPLES, `${name}.json`), 'utf8'));
    const binary = readFileSync(join(SAMPLES, `${name}.pb`));

    const encoded = encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, json) });
    if (jsonToPbExact) expect(encoded.toString('hex')).toBe(binary.toString('hex'));

    const decoded = decodeProtobufObject(schema, binary);
    if (pbToJsonExact) expect(decoded).toEqual(readObject(schema, json).object);
    expect(encodeObject(schema, decoded).length).toBeGreaterThan(0);
  });

  it('gives the frames of a watch byte by byte', () => {
    const events = JSON.parse(readFileSync(join(SAMPLES, 'watch-pods.json'), 'utf8')) as {
      type: string;
      object: { apiVersion: string; kind: string };
    }[];
    const frames = events.map(({ type, object }) => {
      const { apiVersion, kind } = object;
      return encodeWatchEvent(
        type,
        encodeUnknown({ apiVersion, kind, raw: encodeObject(schemaOf(apiVersion, kind), object) }),
      );
    });
    const stream = readFileSync(join(SAMPLES, 'watch-pods.pb'));
    expect(Buffer.concat(frames).toString('hex')).toBe(stream.toString('hex'));
  });

  it('takes envelopes apart and puts them together again', () => {
    for (const { name } of samples) {
      const binary = readFileSync(join(SAMPLES, `${name}.pb`));
      expect(encodeUnknown(decodeUnknown(binary)).equals(binary)).toBe(true);
    }
  });
});
