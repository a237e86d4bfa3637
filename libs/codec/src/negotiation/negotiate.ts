import type { GroupVersionKind, Names } from '@orch/machinery';
import { type MediaType, parseMediaType, splitHeader } from './media-type.js';
import { memoised } from './memo.js';

/** An encoding of objects; `protobuf` is the binary one of the naming profile. */
export type Encoding = 'json' | 'yaml' | 'protobuf';

/** Negotiated form of a response. */
export interface Accepted {
  /** The encoding of the answer. */
  readonly mediaType: Encoding;
  /** Another kind to show the objects as: `Table`, `PartialObjectMetadata`, …. */
  readonly as?: GroupVersionKind;
  /** Whether the client asked with `pretty=1` in the media type. */
  readonly pretty: boolean;
}

/** Forms that an endpoint can answer with. */
export interface Offers {
  /** In the order of the server's preference. */
  readonly encodings: readonly Encoding[];
  /** Whether the endpoint can show its objects as that kind in that encoding. */
  canShowAs(kind: GroupVersionKind, encoding: Encoding): boolean;
  /** Whether the objects themselves have no binary form, whatever they can be shown as; default false. */
  readonly textOnly?: boolean;
}

const META_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
const META_KINDS: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

/**
 * Forms of the collections and objects of every resource. Tables have no binary form.
 * @param textOnly the objects have none either; default false
 */
function resourceOffers(names: Names, textOnly = false): Offers {
  return {
    textOnly,
    encodings: ['json', 'yaml', 'protobuf'],
    canShowAs: ({ group, version, kind }, encoding) =>
      group === names.metaGroup &&
      META_VERSIONS.has(version) &&
      META_KINDS.has(kind) &&
      !(kind === 'Table' && encoding === 'protobuf'),
  };
}

/** Forms of `/api` and `/apis`: their own documents, and the aggregated one. */
export function discoveryOffers(names: Names): Offers {
  const group = names.group('apidiscovery.orch.io');
  return {
    encodings: ['json', 'yaml', 'protobuf'],
    canShowAs: (as) => as.group === group && as.version === 'v2beta1' && as.kind === 'APIGroupDiscoveryList',
  };
}

interface Range extends MediaType {
  readonly quality: number;
}

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Parses the ranges of an `Accept`, the most wanted first; invalid ones are skipped (RFC 9110, section 12.5.1). */
function rangesOf(header: string): Range[] {
  const ranges: Range[] = [];
  for (const text of splitHeader(header, ',')) {
    const media = parseMediaType(text);
    if (!media) continue;
    const q = media.parameters.get('q');
    const quality = q === undefined ? 1 : QUALITY.test(q) ? Number(q) : 0;
    if (quality > 0) ranges.push({ ...media, quality });
  }
  return ranges.sort((a, b) => b.quality - a.quality);
}

/** Whether a range matches a media type. */
function takes(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1));
}

/** Alternative media types of the encodings. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['text/json', 'application/json'],
  ['text/yaml', 'application/yaml'],
  ['application/x-yaml', 'application/yaml'],
]);

function choose(header: string, offers: Offers, typeOf: (encoding: Encoding) => string): Accepted | undefined {
  for (const { type, parameters } of rangesOf(header)) {
    const wanted = ALIASES.get(type) ?? type;
    const pretty = parameters.get('pretty') === '1';
    const kind = parameters.get('as');
    const as = kind && { kind, group: parameters.get('g') ?? '', version: parameters.get('v') ?? '' };
    for (const encoding of offers.encodings) {
      if (!takes(wanted, typeOf(encoding))) continue;
      if (!as && offers.textOnly && encoding === 'protobuf') continue;
      if (!as) return { mediaType: encoding, pretty };
      if (offers.canShowAs(as, encoding)) return { mediaType: encoding, as, pretty };
    }
  }
  return undefined;
}

/** Distinct headers that are cached, per kind of offer; a client has a handful of them. */
const REMEMBERED = 500;
/** Longer headers are parsed each time, so that the cache stays small. */
const REMEMBERED_LENGTH = 1024;

/** `accept` is the header as it came; undefined or empty accepts anything. Undefined calls for a 406. */
export type Negotiator = (accept: string | undefined) => Accepted | undefined;

/** Returns a function from `Accept` to the form of the response; undefined calls for a 406. Caches its answers. */
export function negotiator(offers: Offers, names: Names): Negotiator {
  const types: Readonly<Record<Encoding, string>> = {
    json: 'application/json',
    yaml: 'application/yaml',
    protobuf: names.protobufMediaType,
  };
  const [preferred] = offers.encodings;
  const judge = (header: string) => choose(header, offers, (encoding) => types[encoding]);
  const remembered = memoised(judge, REMEMBERED);
  return (accept) => {
    if (accept === undefined || accept.trim() === '') return preferred && { mediaType: preferred, pretty: false };
    return accept.length > REMEMBERED_LENGTH ? judge(accept) : remembered(accept);
  };
}

const resourceNegotiators = new WeakMap<Names, Negotiator>();
const textNegotiators = new WeakMap<Names, Negotiator>();

/** {@link negotiator} for the objects of resources. @param textOnly of those that have no binary form; default false */
export function negotiate(accept: string | undefined, names: Names, textOnly = false): Accepted | undefined {
  const negotiators = textOnly ? textNegotiators : resourceNegotiators;
  const found = negotiators.get(names) ?? negotiator(resourceOffers(names, textOnly), names);
  negotiators.set(names, found);
  return found(accept);
}
