import { describe, expect, it } from 'vitest';
import type { SchemaProps } from '../schema-types/structural-schema.js';
import { ruleErrors } from './definition.js';

const told = (schema: SchemaProps): string[] =>
  [...ruleErrors(schema, 's')].flat().map(({ field, message }) => `${field}: ${message.split('\n')[0]}`);
const rules = (...texts: string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });
const object = (properties: Record<string, SchemaProps>, more: SchemaProps = {}): SchemaProps => ({
  type: 'object',
  properties,
  ...more,
});

describe('rules of a definition', () => {
  it('are told from below', () => {
    const schema = object({ a: object({ b: { type: 'string', ...rules('1') } }, rules('2')) }, rules('3'));
    expect(told(schema).map((text) => text.split(': ')[0])).toEqual([
      's.properties[a].properties[b].x-kubernetes-validations[0].rule',
      's.properties[a].x-kubernetes-validations[0].rule',
      's.x-kubernetes-validations[0].rule',
    ]);
  });

  it('that speak of values before name the highest place where these are not known', () => {
    const last = { type: 'string', maxLength: 9, ...rules('self == oldSelf') };
    const items = object({ b: { type: 'array', maxItems: 9, items: last } });
    expect(told(object({ a: { type: 'array', maxItems: 9, items } }))).toEqual([
      expect.stringMatching(/uncorrelatable portion of the schema within s\.properties\[a\]$/),
    ]);
  });

  it('below what rules above cannot see are refused', () => {
    const hidden: SchemaProps = {
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { x: { type: 'string', ...rules('true') } },
    };
    expect(told(object({ a: hidden }))).toEqual([]);
    expect(told(object({ a: hidden }, rules('true')))).toEqual([
      expect.stringContaining('s.properties[a].properties[x].x-kubernetes-validations: Internal error'),
    ]);
  });

  it('see of whole objects what these all have, at any depth', () => {
    const embedded = object({ x: { type: 'string' } }, { 'x-kubernetes-embedded-resource': true });
    const schema = object(
      { a: { type: 'array', items: embedded, maxItems: 3 } },
      rules('self.a.all(e, e.kind == e.x)'),
    );
    expect(told(schema)).toEqual([]);
    expect(told(object({}, rules('self.metadata.labels')))).toEqual([
      expect.stringContaining("undefined field 'labels'"),
    ]);
  });

  it('at every level of a deep and wide schema are judged by what they name', () => {
    let schema = object({});
    const wide = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`p${at}`, { type: 'string', maxLength: 9 }]),
    );
    for (let depth = 0; depth < 390; depth++) schema = object({ ...wide, a: schema }, rules("self.p1 != 'x'"));
    expect(told(schema)).toEqual([]);
  });

  it('with patterns that take too long to read are refused', () => {
    const rule = `self.matches('${'(?i)[a-\\\\x{FFFF}]'.repeat(40)}')`;
    expect(told(object({ a: { type: 'string', maxLength: 9, ...rules(rule) } }))).toEqual([
      expect.stringContaining('program instantiation failed: patterns take more than 20000 steps to read'),
    ]);
  });
});
