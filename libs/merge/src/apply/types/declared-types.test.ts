import { namesOf } from '@orch/machinery';
import { haveVectors, sharedVectors as vectors } from '@orch/machinery/testing';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { declaredType } from './declared-types.js';

interface Fact {
  id: string;
  structType?: 'atomic';
  fields?: {
    name: string;
    kind: string;
    inline?: boolean;
    listType?: 'atomic' | 'set' | 'map';
    listMapKeys?: string[];
    mapType?: string;
    structType?: string;
    smdDiff?: { schema: 'map' | 'set'; keys: string[] };
    smdDefault?: unknown;
  }[];
}

const scheme = loadScheme(namesOf('kubernetes'));
const facts = vectors<Fact>('types.jsonl');
const structs = new Map([...scheme.structs()].map((schema) => [schema.id, schema]));

describe.skipIf(!haveVectors)('types of built-in kinds', () => {
  it('own lists, maps and structs as the facts say', () => {
    let checked = 0;
    for (const { id, structType, fields = [] } of facts) {
      const schema = structs.get(id);
      if (!schema || schema.customJson) continue;
      const { map } = declaredType(schema, { zeros: false });
      expect([id, map?.atomic]).toEqual([id, structType === 'atomic']);
      for (const { name, kind, inline, listType, listMapKeys, mapType, structType: own, smdDiff } of fields) {
        const type = inline ? undefined : map?.fields.get(name)?.type;
        if (type?.list && kind.startsWith('list')) {
          const relation = smdDiff?.schema ?? listType ?? 'atomic';
          const keys = smdDiff?.keys ?? listMapKeys ?? [];
          expect([id, name, type.list.relation, type.list.keys]).toEqual([id, name, relation, keys]);
          checked++;
        }
        const said = mapType ?? own;
        if (said && type) expect([id, name, type.map?.atomic]).toEqual([id, name, said === 'atomic']);
      }
    }
    expect(checked).toBeGreaterThan(300);
  });

  it('have the defaults by which items without a key are told apart', () => {
    let checked = 0;
    for (const { id, fields = [] } of facts) {
      const schema = structs.get(id);
      if (!schema || schema.customJson) continue;
      for (const { name, smdDefault } of fields) {
        if (smdDefault === undefined || typeof smdDefault === 'object') continue;
        const { map } = declaredType(schema, { zeros: false });
        expect([id, name, map?.fields.get(name)?.default]).toEqual([id, name, smdDefault]);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(100);
  });
});
