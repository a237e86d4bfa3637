import type { Authorizer, RequestAttributes } from '@orch/authorization';
import { BASE_ENVIRONMENT } from '@orch/expressions';
import { type ApiObject, namesOf, StatusError } from '@orch/machinery';
import { haveVectors, sharedVectors as vectors } from '@orch/machinery/testing';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../attributes.js';
import { EvaluationTurns } from '../matching/evaluation-turns.js';
import type { SentAs } from '../matching/match.js';
import { type ResourceVersion, type Rule, ruleMatches } from '../matching/rules.js';
import { attributesOf, pluginContext, TestObjects } from '../testing/index.js';
import { Hooks } from './hook.js';
import { type ReviewVersion, verifiedAnswer } from './review.js';
import { WebhookPlugin } from './webhook-plugin.js';
import type { ReviewedForms, WebhookServices } from './webhook-services.js';

interface VectorAttributes extends ResourceVersion {
  readonly kind: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly operation: string;
  readonly object?: ApiObject;
  readonly oldObject?: ApiObject;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly dryRun?: boolean;
}

interface Vector {
  readonly id: string;
  readonly op: 'rule' | 'webhook' | 'response';
  readonly attributes: VectorAttributes;
  readonly rule: Rule;
  readonly matches: boolean;
  readonly webhook: object;
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>> | null>>;
  readonly equivalent?: readonly (readonly string[])[];
  readonly authorizerAllows?: readonly string[];
  readonly called?: boolean;
  readonly sentAs?: { group: string; version: string; kind: string; resource: string; subresource: string };
  readonly error?: { readonly code?: number; readonly reason?: string; readonly message: string };
  readonly mutating: boolean;
  readonly uid: string;
  readonly review: { readonly apiVersion?: string };
  readonly result?: { readonly allowed: boolean; readonly patch: string; readonly patchType: string };
}

const all = vectors<Vector>('webhook-match-vectors.jsonl');
const of = (op: Vector['op']) => all.filter((vector) => vector.op === op).map((vector) => [vector.id, vector] as const);
const names = namesOf('kubernetes');

/**
 * A connection whose options were given to the reference as an unstructured object, which can carry labels. Its server
 * gives it options of their own type, which cannot, and so does not match them (meta.Accessor).
 */
const UNSTRUCTURED_OPTIONS = 'webhook/56';

/** What the reference answered. */
describe.runIf(haveVectors)('webhooks are matched as the reference does', () => {
  it('has vectors', () => expect(all.length).toBeGreaterThan(150));

  it.each(of('rule'))('%s', (_id, { rule, attributes, matches }) => {
    const { subresource = '', namespace = '' } = attributes;
    expect(ruleMatches(rule, { ...attributes, subresource, namespace })).toBe(matches);
  });

  it.each(of('webhook'))('%s', async (_id, vector) => {
    const { error } = vector;
    const isMeant = vector.id !== UNSTRUCTURED_OPTIONS;
    const { called = false, sentAs } = isMeant ? vector : { called: false };
    const answer = await matched(vector).catch((thrown: unknown) => thrown);
    if (error) {
      expect(answer).toBeInstanceOf(StatusError);
      const { code, reason, message } = (answer as StatusError).status;
      expect({ code, reason, message: comparable(message ?? '') }).toEqual({
        ...error,
        message: comparable(error.message),
      });
      return;
    }
    if (answer instanceof Error) throw answer;
    expect(answer !== undefined).toBe(called);
    if (!sentAs) return;
    const { subresource: _subresource, ...as } = sentAs;
    const { resource, kind } = (answer as { sentAs: SentAs }).sentAs;
    expect({ ...resource, kind: kind.kind }).toEqual(as);
  });

  it.each(of('response'))('%s', (_id, { review, uid, mutating, error, result }) => {
    const version: ReviewVersion = review.apiVersion?.endsWith('/v1beta1') ? 'v1beta1' : 'v1';
    const verify = () => verifiedAnswer(review as never, { version, uid, mutating, names });
    if (error) return expect(verify).toThrow(new Error(error.message));
    const { allowed, patch, patchType } = verify();
    expect({ allowed, patch: patch.toString(), patchType }).toEqual({
      allowed: result?.allowed,
      patch: result?.patch,
      patchType: result?.patchType,
    });
  });
});

/** What an expected token may be is told by whoever made the parser. */
const comparable = (message: string): string => message.replace(/expecting \{[^}]*\}+/, 'expecting');

async function matched(vector: Vector) {
  const { attributes, webhook, namespaces, authorizerAllows = [] } = vector;
  const { operation, subresource = '', namespace = '', user = 'u', groups = [], dryRun = false, ...about } = attributes;
  const objects = new TestObjects();
  for (const [name, labels] of Object.entries(namespaces))
    objects.put('', 'namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, ...(labels && { labels }) },
    });
  const [hook] = new Hooks(BASE_ENVIRONMENT).of([
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'c' }, webhooks: [webhook] } as never,
  ]);
  const plugin = new WebhookPlugin(
    { type: 'validating', resource: 'validatingwebhookconfigurations' },
    pluginContext({ objects, webhooks: () => services(vector), isEnabled: () => false }),
  );
  const asked = attributesOf({
    ...about,
    object: undefined,
    ...attributes,
    operation: operation as Operation,
    subresource,
    namespace,
    options: { dryRun },
    user: { name: user, groups, extra: {} },
    authorizer: allowing(authorizerAllows),
  } as never);
  return hook && plugin.match(hook, asked, new EvaluationTurns());
}

/** Allows what a line says: user, verb, then a path or group/resource/subresource, namespace and name. */
function allowing(lines: readonly string[]): Authorizer {
  const line = ({ name }: { readonly name: string }, r: RequestAttributes) =>
    r.isResourceRequest
      ? `${name} ${r.verb} ${r.group}/${r.resource}/${r.subresource} ${r.namespace} ${r.name}`
      : `${name} ${r.verb} ${r.path}`;
  return {
    authorize: async (user, request) => ({
      decision: lines.includes(line(user, request)) ? 'allow' : 'no-opinion',
      reason: '',
    }),
  };
}

function services({ attributes, equivalent = [] }: Vector): WebhookServices {
  const forms: Pick<ReviewedForms, 'own' | 'equivalents' | 'sent' | 'served'> = {
    served: 1,
    own: ({ group, version, resource, kind }) => ({
      resource: { group, version, resource },
      kind: { group, version, kind },
    }),
    equivalents: ({ group, version, resource }) => {
      const own = [resource, version, group].filter((part) => part !== '').join('.');
      const set = equivalent.find((each) => each.includes(own)) ?? [];
      return set.filter((each) => each !== own).map((each) => sentAsOf(each, attributes.kind));
    },
    sent: async (object) => object,
  };
  const ignore = () => undefined;
  return {
    forms: forms as ReviewedForms,
    client: { ask: () => Promise.reject(new Error('nobody is asked')) },
    observer: { called: ignore, failedOpen: ignore, conditionFailed: ignore, notAsked: ignore },
    mostHangingCalls: 50,
    exempt: { namespaces: new Set(), groups: new Set() },
    show: ignore,
  };
}

function sentAsOf(named: string, kind: string): SentAs {
  const [resource = '', version = '', ...group] = named.split('.');
  const at = { group: group.join('.'), version };
  return { resource: { ...at, resource }, kind: { ...at, kind } };
}
