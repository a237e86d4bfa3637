import type { JsonObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { ConversionRefused, type ConversionRequest, conversionReview, convertedObjects, kindText } from './index.js';

const GROUP = 'apiextensions.k8s.io';
const object = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.test/v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'n', uid: 'u-1', resourceVersion: '7', generation: 2, labels: { a: 'b' } },
  spec: { size: 1 },
  ...more,
});
const requestOf = (more: Partial<ConversionRequest> = {}): ConversionRequest => ({
  group: GROUP,
  reviewVersions: ['v1'],
  uid: 'r-1',
  desiredAPIVersion: 'example.test/v2',
  objects: [object()],
  subject: kindText('example.test/v1', 'Thing'),
  isList: false,
  ...more,
});
const converted = (more: JsonObject = {}): JsonObject => ({ ...object(), apiVersion: 'example.test/v2', ...more });
const answerOf = (objects: unknown, more: JsonObject = {}): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ConversionReview',
  response: { uid: 'r-1', result: { status: 'Success' }, convertedObjects: objects as JsonObject[] },
  ...more,
});

describe('a review of conversion', () => {
  it('is sent in the first version that is known', () => {
    const review = conversionReview(requestOf({ reviewVersions: ['v2', 'v1beta1', 'v1'] }));
    expect(review).toEqual({
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'ConversionReview',
      request: { uid: 'r-1', desiredAPIVersion: 'example.test/v2', objects: [object()] },
    });
  });

  it('is not sent where no version is known', () => {
    expect(() => conversionReview(requestOf({ reviewVersions: ['v2'] }))).toThrow(
      new ConversionRefused('no supported conversion review versions'),
    );
  });
});

describe('the answer of a webhook', () => {
  it('gives objects whose labels and annotations it may have changed, and nothing else of their metadata', () => {
    const metadata = {
      name: 'a',
      namespace: 'n',
      uid: 'u-1',
      resourceVersion: '9',
      finalizers: ['x/y'],
      annotations: { note: 'new' },
    };
    const request = requestOf();
    const [made] = convertedObjects(answerOf([converted({ metadata, spec: { width: 1 } })]), request);
    const { labels: _, ...kept } = object().metadata as JsonObject;
    expect(made).toEqual({
      apiVersion: 'example.test/v2',
      kind: 'Thing',
      metadata: { ...kept, annotations: { note: 'new' } },
      spec: { width: 1 },
    });
    expect(request.objects).toEqual([object()]);
  });

  it('takes a member named __proto__ for one like others', () => {
    const labels = JSON.parse('{"__proto__": "x"}') as JsonObject;
    const metadata = { name: 'a', namespace: 'n', uid: 'u-1', labels };
    expect(() => convertedObjects(answerOf([converted({ metadata })]), requestOf())).toThrow(
      /metadata\.labels: Invalid/,
    );
  });

  it('may keep labels that are not valid, and not bring them', () => {
    const metadata = { name: 'a', namespace: 'n', uid: 'u-1', labels: { 'not valid': 'x' } };
    const answer = answerOf([converted({ metadata })]);
    expect(convertedObjects(answer, requestOf({ objects: [object({ metadata })] }))).toHaveLength(1);
    expect(() => convertedObjects(answer, requestOf())).toThrow(
      /^conversion webhook for example.test\/v1, Kind=Thing returned invalid metadata: metadata.labels: Invalid value: "not valid"/,
    );
  });

  it('of a beta version is not asked for its kind or uid', () => {
    const answer = { response: { result: { status: 'Success' }, convertedObjects: [converted()] } };
    expect(convertedObjects(answer, requestOf({ reviewVersions: ['v1beta1'] }))).toHaveLength(1);
  });

  const meta = (more: JsonObject): JsonObject => ({ metadata: { name: 'a', namespace: 'n', uid: 'u-1', ...more } });
  const FAILED = 'conversion webhook for example.test/v1, Kind=Thing failed: ';
  const RETURNED = 'conversion webhook for example.test/v1, Kind=Thing returned ';
  it.each<[string, unknown, string]>([
    ['no review', 'text', `${FAILED}expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got , Kind=`],
    [
      'another version of it',
      answerOf([], { apiVersion: `${GROUP}/v1beta1` }),
      `${FAILED}expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${GROUP}/v1beta1, Kind=ConversionReview`,
    ],
    ['no response', answerOf([], { response: null }), `${FAILED}no response provided`],
    [
      'one to another request',
      answerOf([], { response: { uid: 'x' } }),
      `${FAILED}expected response.uid="r-1", got "x"`,
    ],
    [
      'a failure',
      answerOf([], { response: { uid: 'r-1', result: { status: 'Failure', message: 'no room' } } }),
      `${FAILED}no room`,
    ],
    ['no result', answerOf([], { response: { uid: 'r-1' } }), `${FAILED}response.result.status was '', not 'Success'`],
    ['too few objects', answerOf([]), `${RETURNED}0 objects, expected 1`],
    ['none that is a list', answerOf('text'), `${RETURNED}0 objects, expected 1`],
    ['no object', answerOf([null]), `${RETURNED}invalid object at index 0: expected an object, got <nil>`],
    [
      'another version',
      answerOf([object()]),
      `${RETURNED}invalid object at index 0: invalid groupVersion (expected example.test/v2, received example.test/v1)`,
    ],
    [
      'another kind',
      answerOf([converted({ kind: 'Other' })]),
      `${RETURNED}invalid object at index 0: invalid kind (expected Thing, received Other)`,
    ],
    [
      'another name',
      answerOf([converted(meta({ name: 'b' }))]),
      `${RETURNED}invalid object: must have the same name: a != b`,
    ],
    [
      'another namespace',
      answerOf([converted(meta({ namespace: 'm' }))]),
      `${RETURNED}invalid object: must have the same namespace: n != m`,
    ],
    [
      'another uid',
      answerOf([converted(meta({ uid: 'u' }))]),
      `${RETURNED}invalid object: must have the same UID: u-1 != u`,
    ],
    [
      'labels that are none',
      answerOf([converted(meta({ labels: ['a'] }))]),
      `${RETURNED}invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
    ],
    [
      'an annotation that is no text',
      answerOf([converted(meta({ annotations: { a: 1 } }))]),
      `${RETURNED}invalid metadata: metadata.annotations[a] must be a string, but is int64 in converted object`,
    ],
  ])('is refused: %s', (_name, answer, message) => {
    expect(() => convertedObjects(answer, requestOf())).toThrow(new ConversionRefused(message));
  });

  it('about a list says which of its items it is', () => {
    const request = requestOf({
      objects: [object(), object()],
      subject: kindText('example.test/v1', 'ThingList'),
      isList: true,
    });
    expect(() => convertedObjects(answerOf([converted(), object()]), request)).toThrow(
      new ConversionRefused(
        'conversion webhook for example.test/v1, Kind=ThingList returned invalid converted object at index 2: ' +
          'invalid groupVersion (expected example.test/v2, received example.test/v1)',
      ),
    );
  });
});
