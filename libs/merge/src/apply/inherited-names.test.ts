import type { JsonObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { managerOfVector } from '../testing/managed-kinds.js';

const now = new Date('2023-01-01T00:00:00Z');
const json = (text: string): JsonObject => JSON.parse(text) as JsonObject;

describe.each(['constructor', 'toString', '__proto__'])('a field %s, which every object inherits', (name) => {
  const field = JSON.stringify(name);
  const schema = json(
    `{"type":"object","properties":{"spec":{"type":"object","properties":{${field}:{"type":"string"},"b":{"type":"string"}}}}}`,
  );
  const manager = managerOfVector({
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    zeros: false,
    schemas: { v1: schema },
  });
  const thing = (spec: string): JsonObject => ({
    ...{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x', uid: 'u' } },
    spec: json(spec),
  });
  /** Who owns which fields of `spec`. */
  const owned = ({ metadata }: JsonObject): string[] =>
    ((metadata as JsonObject).managedFields as JsonObject[]).map(
      ({ manager: of, fieldsV1 }) => `${of} ${JSON.stringify((fieldsV1 as JsonObject)['f:spec'])}`,
    );
  const [bare, whole] = ['{"b":"1"}', `{${field}:"x","b":"1"}`];

  it('is owned by who says it, and by nobody where nobody does', () => {
    expect(owned(manager.apply(undefined, thing(bare), { manager: 'm', now }))).toEqual(['m {"f:b":{}}']);
    const both = manager.apply(undefined, thing(whole), { manager: 'm', now });
    expect(owned(both)).toEqual([expect.stringContaining(`"f:${name}":{}`)]);
    expect(JSON.stringify(both.spec)).toContain(`${field}:"x"`);
    expect(owned(manager.update(undefined, thing(bare), { manager: 'u', now }))).toEqual(['u {".":{},"f:b":{}}']);
  });

  it('is taken away from whom an update takes it', () => {
    const live = manager.apply(undefined, thing(whole), { manager: 'm', now });
    const updated = manager.update(live, { ...live, spec: json(bare) }, { manager: 'u', now });
    expect(owned(updated)).toEqual(['m {"f:b":{}}']);
    const added = manager.update(updated, { ...updated, spec: json(whole) }, { manager: 'u', now });
    expect(owned(added)).toEqual(['m {"f:b":{}}', `u {"f:${name}":{}}`]);
  });

  it('goes with the apply that gives it up', () => {
    const live = manager.apply(undefined, thing(whole), { manager: 'm', now });
    expect(JSON.stringify(manager.apply(live, thing(bare), { manager: 'm', now }).spec)).toBe(bare);
  });

  it('that is an empty object is owned by who adds it', () => {
    const text = JSON.stringify(schema).replace(/\{"type":"string"\}/, '{"type":"object"}');
    const objects = managerOfVector({
      ...{ apiVersion: 'example.com/v1', kind: 'Thing', zeros: false },
      schemas: { v1: json(text) },
    });
    const live = objects.apply(undefined, thing(bare), { manager: 'm', now });
    const added = objects.update(live, { ...live, spec: json(`{${field}:{},"b":"1"}`) }, { manager: 'u', now });
    expect(owned(added)).toEqual(['m {"f:b":{}}', `u {"f:${name}":{}}`]);
  });
});
