import { type JsonObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { thing, thingManager, thingTypes } from '../testing/things.js';
import { admitted, bothTypes, type Converter, customType, FieldManager, managerOf, withoutIdleTimes } from './index.js';
import { managedFieldsOf, withManagedFields } from './managed/metadata.js';

const manager = thingManager();
const at = (second: number, milliseconds = 0) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, milliseconds));
const entriesOf = (object: JsonObject) => (managedFieldsOf(object) ?? []) as JsonObject[];
const who = (object: JsonObject) => entriesOf(object).map(({ manager, operation }) => `${manager} ${operation}`);
const applied = (spec: JsonObject, live?: JsonObject, by = 'm', second = 0) =>
  manager.apply(live, thing(spec), { manager: by, now: at(second) });
const updated = (spec: JsonObject, live?: JsonObject, by = 'm', second = 0) =>
  manager.update(live, thing(spec), { manager: by, now: at(second) });
const objectMeta = loadScheme(namesOf('kubernetes')).struct('meta/v1.ObjectMeta');

describe('entries', () => {
  it('begin with a create or an apply, never with an update', () => {
    expect(who(updated({ size: 1 }))).toEqual(['m Update']);
    expect(who(updated({ size: 2 }, thing({ size: 1 })))).toEqual([]);
    expect(who(applied({ color: 'a' }, thing({ size: 1 }), 'a'))).toEqual(['a Apply', 'before-first-apply Update']);
  });

  it("are reset by one empty entry, and what the same request changes is its manager's", () => {
    const live = applied({ size: 1, color: 'a' });
    const reset = withManagedFields(thing({ size: 2, color: 'a' }), [{}]);
    expect(entriesOf(manager.update(live, reset, { manager: 'u', now: at(1) }))).toEqual([
      expect.objectContaining({ manager: 'u', operation: 'Update', fieldsV1: { 'f:spec': { 'f:size': {} } } }),
    ]);
    const alone = withManagedFields(live, [{}]);
    expect(entriesOf(manager.update(live, alone, { manager: 'u', now: at(1) }))).toEqual([]);
    const through = thingManager('status').update(live, alone, { manager: 'u', now: at(1) });
    expect(who(through)).toEqual(['m Apply']);
  });

  it('carry whole seconds, and have the manager `unknown` when nobody says', () => {
    const object = manager.update(undefined, thing({ size: 1 }), { manager: '', now: at(1, 999) });
    expect(entriesOf(object)[0]).toMatchObject({ manager: 'unknown', time: '2026-01-01T00:00:01Z' });
  });

  it('keep their times when nothing else differs', () => {
    const first = applied({ size: 1 }, undefined, 'm', 1);
    const again = manager.update(first, first, { manager: 'm', now: at(9) });
    expect(withoutIdleTimes(first, again)).toEqual(first);
    const later = withManagedFields(
      first,
      entriesOf(first).map((entry) => ({ ...entry, time: '2026-01-01T00:00:07Z' })),
    );
    expect(withoutIdleTimes(first, later)).toEqual(first);
    const changed = { ...later, spec: { size: 2 } };
    expect(withoutIdleTimes(first, changed)).toBe(changed);
  });

  it('keep their times whichever version of the object a writer names, be it none', () => {
    const versioned = (object: JsonObject, resourceVersion?: string): JsonObject => ({
      ...object,
      metadata: { ...(object.metadata as JsonObject), ...(resourceVersion !== undefined && { resourceVersion }) },
    });
    const first = applied({ size: 1 }, undefined, 'm', 1);
    for (const named of ['0', '', undefined]) {
      const said = { size: 1 };
      const again = versioned(applied(said, versioned(first, '5'), 'm', 9), named);
      const later = withManagedFields(
        again,
        entriesOf(again).map((entry) => ({ ...entry, time: '2026-01-01T00:00:07Z' })),
      );
      expect(entriesOf(withoutIdleTimes(versioned(first, '5'), later))).toEqual(entriesOf(first));
      expect(entriesOf(withoutIdleTimes(first, later))).toEqual(entriesOf(first));
    }
  });

  it('of a version that is gone are dropped, those only', () => {
    const live = applied({ size: 1 }, undefined, 'm');
    const [entry] = entriesOf(live);
    const gone = withManagedFields(live, [
      entry as JsonObject,
      { ...entry, manager: 'old', apiVersion: 'example.com/v0' },
    ]);
    expect(who(manager.update(gone, gone, { manager: 'u', now: at(1) }))).toEqual(['m Apply']);
    expect(who(applied({ size: 1 }, gone, 'm', 1))).toEqual(['m Apply']);
  });

  it('that cannot be read are dropped when an update looks into them, and keep an apply from taking away the wrong fields', () => {
    const live = applied({ size: 1 }, undefined, 'm');
    const [entry] = entriesOf(live);
    const broken = { ...entry, manager: 'broken', fieldsV1: { 'f:spec': { 'f:size': 1 } } } as JsonObject;
    const damaged = withManagedFields(live, [entry as JsonObject, broken]);
    expect(who(updated({ size: 2 }, damaged, 'u', 1))).toEqual(['u Update']);
    expect(who(updated({ size: 1, color: 'a' }, damaged, 'u', 1))).toEqual(['broken Apply', 'm Apply', 'u Update']);
    for (const spec of [{ size: 2 }, {}]) {
      expect(() => applied(spec, damaged)).toThrow(expect.objectContaining({ name: 'ApplyError' }));
    }
  });

  it('after admission are those that the object came with, in their one form, or those before when they are broken', () => {
    const before = applied({ size: 1, color: 'a' });
    expect(admitted(before, before)).toEqual({ object: before });
    const [entry] = entriesOf(before);
    const sorted = withManagedFields(before, [{ ...entry, fieldsV1: { 'f:spec': { 'f:size': {}, 'f:color': {} } } }]);
    expect(JSON.stringify(entriesOf(admitted(before, sorted).object)[0]?.fieldsV1)).toBe(
      '{"f:spec":{"f:color":{},"f:size":{}}}',
    );
    const broken = withManagedFields(before, [{ ...entry, operation: 'Other' }]);
    const { object, warning } = admitted(before, broken);
    expect(entriesOf(object)).toEqual(entriesOf(before));
    expect(warning).toMatch(/^\.metadata\.managedFields was in an invalid state after admission; .*operation must be/);
  });
});

describe('an update of what does not fit its type', () => {
  it('is managed with items of the same keys as one', () => {
    const twice = {
      size: 1,
      parts: [
        { port: 80, note: 'a' },
        { port: 80, note: 'b' },
      ],
    };
    const live = updated(twice, applied({ size: 1 }), 'u', 1);
    expect(who(live)).toEqual(['m Apply', 'u Update']);
    expect(who(updated({ ...twice, color: 'a' }, live, 'v', 2))).toEqual(['m Apply', 'u Update', 'v Update']);
  });

  it('is managed with a list as a whole whose items lack their keys, and what is not declared as one value', () => {
    const live = updated({ size: 1, parts: [{ note: 'a' }], bogus: { a: 1 }, labels: 5 }, applied({ size: 1 }), 'u', 1);
    expect(entriesOf(live)[1]?.fieldsV1).toEqual({ 'f:spec': { 'f:bogus': {}, 'f:labels': {}, 'f:parts': {} } });
    expect(() => applied({ size: 1 }, live)).toThrow(expect.objectContaining({ name: 'ApplyError' }));
  });
});

describe('a type that has changed', () => {
  const typeWith = (mapType: string) =>
    bothTypes(
      customType(
        {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                box: { type: 'object', 'x-kubernetes-map-type': mapType, additionalProperties: { type: 'string' } },
              },
            },
          },
        },
        objectMeta,
      ),
    );
  const under = (mapType: string) => {
    const types = typeWith(mapType);
    return new FieldManager({ apiVersion: 'example.com/v1', kind: 'Thing', typesOf: () => types }, (object) => object);
  };

  it('from parts to a whole: who owned a part owns the whole', () => {
    const options = { manager: 'm', now: at(0) };
    const live = under('granular').apply(undefined, thing({ box: { a: '1' } }), options);
    const later = under('atomic').update(live, live, { manager: 'u', now: at(1) });
    expect(entriesOf(later)[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:box': {} } });
    const other = thing({ box: { b: '2' } });
    expect(() => under('atomic').apply(live, other, { manager: 'n', now: at(1) })).toThrow(
      'conflict with "m": .spec.box',
    );
  });

  it("from a whole to parts: the whole stays its owner's", () => {
    const options = { manager: 'm', now: at(0) };
    const live = under('atomic').apply(undefined, thing({ box: { a: '1' } }), options);
    const later = under('granular').apply(live, thing({ box: { b: '2' } }), { manager: 'n', now: at(1) });
    expect(later.spec).toEqual({ box: { a: '1', b: '2' } });
    expect(entriesOf(later)[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:box': {} } });
  });
});

it('an annotation of kubectl that nests without end explains no conflict', () => {
  const nested = '{"a":'.repeat(20_000);
  const annotation = `{"apiVersion":"example.com/v1","kind":"Thing","spec":{"free":${nested}1${'}'.repeat(20_000)}}}`;
  const annotated = {
    ...thing({ size: 1 }),
    metadata: { name: 'x', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': annotation } },
  };
  const live = manager.update(undefined, annotated, { manager: 'u', now: at(0) });
  expect(() => applied({ size: 2 }, live, 'kubectl')).toThrow(expect.objectContaining({ code: 409 }));
});

it('keeps integers exact, and escapes of the reference, in the annotation of kubectl', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const live = { ...thing({}), metadata: { name: 'x', annotations } };
  const { metadata } = applied({ free: { b: 9007199254740993n, a: 'x&<' } }, live, 'kubectl');
  const text = (metadata as { annotations: Record<string, string> }).annotations[Object.keys(annotations)[0] ?? ''];
  expect(text).toContain('"spec":{"free":{"a":"x\\u0026\\u003c","b":9007199254740993}}');
});

describe('conversion', () => {
  const inVersion = (apiVersion: string, convert: Converter) =>
    new FieldManager({ apiVersion, kind: 'Thing', typesOf: () => thingTypes }, convert);
  /** `size` is called `color` in v2. */
  const renaming = ({ spec, ...rest }: JsonObject, apiVersion: string): JsonObject => {
    const { size, color, ...others } = (spec ?? {}) as JsonObject;
    return {
      ...rest,
      apiVersion,
      spec: {
        ...others,
        ...(size !== undefined && { color: String(size) }),
        ...(color !== undefined && { size: Number(color) }),
      },
    };
  };
  const live = inVersion('example.com/v1', renaming).apply(undefined, thing({ size: 1 }), { manager: 'm', now: at(0) });
  const v2 = (spec: JsonObject) => ({ ...thing(spec), apiVersion: 'example.com/v2' });

  it('finds the fields of others in their own version', () => {
    const manager = inVersion('example.com/v2', renaming);
    const there = { ...v2({ color: '1' }), metadata: live.metadata as JsonObject };
    expect(() => manager.apply(there, v2({ color: '2' }), { manager: 'n', now: at(1) })).toThrow(
      'conflict with "m": .spec.size',
    );
    expect(who(manager.update(there, v2({ color: '2' }), { manager: 'u', now: at(1) }))).toEqual(['u Update']);
    const gone = manager.apply(there, v2({}), { manager: 'm', now: at(1) });
    expect(gone.spec).toEqual({});
  });

  it('is not asked for an object that is not there yet', () => {
    const manager = inVersion('example.com/v2', (object, apiVersion) => {
      if (object.kind === undefined) throw new RangeError('no kind');
      return renaming(object, apiVersion);
    });
    const sent = { ...v2({ color: '1' }), metadata: live.metadata as JsonObject };
    expect(who(manager.update(undefined, sent, { manager: 'u', now: at(1) }))).toEqual(['u Update']);
  });

  it('may call out, and gives the same', async () => {
    const there = { ...v2({ color: '1' }), metadata: live.metadata as JsonObject };
    const [now, later] = [
      inVersion('example.com/v2', renaming),
      inVersion('example.com/v2', async (...all) => renaming(...all)),
    ];
    const options = { manager: 'n', now: at(1), force: true };
    const said = v2({ color: '2' });
    expect(await later.applyAsync(there, said, options)).toEqual(now.apply(there, said, options));
    expect(await later.updateAsync(there, said, options)).toEqual(now.update(there, said, options));
    expect(() => later.update(there, said, options)).toThrow(TypeError);
  });

  it("that fails fails the write, and loses nobody's fields", async () => {
    const down = new Error('conversion webhook is down');
    const manager = inVersion('example.com/v2', () => Promise.reject(down));
    const there = { ...v2({ color: '1' }), metadata: live.metadata as JsonObject };
    await expect(manager.updateAsync(there, v2({ color: '2' }), { manager: 'u', now: at(1) })).rejects.toBe(down);
    await expect(manager.applyAsync(there, v2({ color: '2' }), { manager: 'u', now: at(1) })).rejects.toBe(down);
    expect(who(await manager.updateAsync(there, there, { manager: 'u', now: at(1) }))).toEqual(['m Apply']);
  });
});

describe('the name of a manager', () => {
  it.each([
    ['kubectl/v1.27.16 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['my\u0000\tagent\u200b/1', 'myagent'],
    ['', ''],
    ['ä'.repeat(100), 'ä'.repeat(64)],
    [`${'a'.repeat(127)}ä`, 'a'.repeat(127)],
  ])('of %j', (userAgent, name) => {
    expect(managerOf(userAgent)).toBe(name);
  });
});
