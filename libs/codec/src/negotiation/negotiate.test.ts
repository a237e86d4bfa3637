import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { parseContentType } from './media-type.js';
import { discoveryOffers, negotiate, negotiator } from './negotiate.js';

describe.each(['orch', 'kubernetes'] as const)('negotiate, names of %s', (profile) => {
  const names = namesOf(profile);
  const g = names.metaGroup;
  const table = { mediaType: 'json', as: { kind: 'Table', group: g, version: 'v1' }, pretty: false };
  const json = { mediaType: 'json', pretty: false };

  it.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/*', json],
    ['application/json', json],
    ['Application/JSON; charset=utf-8', json],
    ['application/json;pretty=1', { mediaType: 'json', pretty: true }],
    ['application/yaml', { mediaType: 'yaml', pretty: false }],
    [names.protobufMediaType, { mediaType: 'protobuf', pretty: false }],
    [`${names.protobufMediaType};stream=watch, application/json`, { mediaType: 'protobuf', pretty: false }],
    ['text/html, application/json;q=0.5, application/yaml;q=0.9', { mediaType: 'yaml', pretty: false }],
    ['application/json;q=0, application/yaml', { mediaType: 'yaml', pretty: false }],
    [`application/json;as=Table;v=v1;g=${g},application/json`, table],
    [`application/json;as=Table;v=v9;g=${g},application/json`, json],
    [`application/json;as="Table";v="v1";g="${g}"`, table],
    [`${names.protobufMediaType};as=Table;v=v1;g=${g},application/json;as=Table;v=v1;g=${g}`, table],
    [
      `${names.protobufMediaType};as=PartialObjectMetadataList;g=${g};v=v1`,
      { mediaType: 'protobuf', as: { kind: 'PartialObjectMetadataList', group: g, version: 'v1' }, pretty: false },
    ],
    ['text/html', undefined],
    ['application/json;as=Table;v=v1;g=other', undefined],
    ['rubbish', undefined],
    ['application/json;as', undefined],
  ])('%s', (accept, expected) => {
    expect(negotiate(accept, names)).toEqual(expected);
    // From what is remembered, too.
    expect(negotiate(accept, names)).toEqual(expected);
  });

  it('takes no names of the other profile', () => {
    const other = namesOf(profile === 'orch' ? 'kubernetes' : 'orch');
    expect(negotiate(other.protobufMediaType, names)).toBeUndefined();
  });

  it('offers the aggregated document of discovery', () => {
    const discovery = negotiator(discoveryOffers(names), names);
    const group = names.group('apidiscovery.orch.io');
    const accept = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList,application/json`;
    expect(discovery(accept)?.as).toEqual({ kind: 'APIGroupDiscoveryList', group, version: 'v2beta1' });
    expect(discovery(accept.replace('v2beta1', 'v2'))).toEqual(json);
  });

  it('forgets rather than grows', () => {
    for (let i = 0; i < 2000; i++) expect(negotiate(`application/json;q=0.5,text/x-${i}`, names)).toEqual(json);
  });
});

describe('parseContentType', () => {
  it.each([
    ['application/json', 'application/json'],
    ['Application/JSON ; charset="a;b"', 'application/json'],
    ['application/strategic-merge-patch+json', 'application/strategic-merge-patch+json'],
    ['json', undefined],
    ['application/json; =x', undefined],
    ['', undefined],
  ])('%s', (header, expected) => {
    expect(parseContentType(header)).toBe(expected);
  });
});
