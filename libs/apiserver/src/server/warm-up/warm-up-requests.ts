import { decodeProtobufObject, encodeObject, encodeUnknown } from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import type { Endpoint, ServedResources } from '@orch/resources';
import type { Received, SentRequest, WarmUpConnection } from './warm-up-connection.js';
import { WARM_UP_LABELS, WARM_UP_OBJECTS } from './warm-up-objects.js';

const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';

/** Form in which objects are sent: as text or in binary. */
interface WireForm {
  readonly mediaType: string;
  encode(endpoint: Endpoint, object: ApiObject): Buffer;
  decode(endpoint: Endpoint, bytes: Buffer): ApiObject;
}

const JSON_FORM: WireForm = {
  mediaType: JSON_TYPE,
  encode: (_endpoint, object) => Buffer.from(JSON.stringify(object)),
  decode: (_endpoint, bytes) => JSON.parse(bytes.toString()) as ApiObject,
};

const protobufForm = (mediaType: string): WireForm => ({
  mediaType,
  encode({ apiVersion, definition: { kind }, model }, object) {
    if (!model.struct) throw new Error(`${kind} has no binary form`);
    return encodeUnknown({ apiVersion, kind, raw: encodeObject(model.struct, object) });
  },
  decode({ definition: { kind }, model }, bytes) {
    if (!model.struct) throw new Error(`${kind} has no binary form`);
    return decodeProtobufObject(model.struct, bytes);
  },
});

/** An object to be written, with where it is served. */
interface Subject {
  readonly endpoint: Endpoint;
  /** Path of its collection. */
  readonly path: string;
  readonly object: ApiObject;
  readonly hasStatus: boolean;
}

/** Sends requests in cycles: an object of each kind is created, read, replaced, patched and deleted. */
export class WarmUpRequests {
  /** Number of requests that have been answered. */
  answered = 0;
  /** Kinds whose requests have all succeeded so far. */
  readonly #subjects: Set<Subject>;
  readonly #forms: readonly WireForm[];

  /** @param onFailed called with the error of a kind, which is left out from then on */
  constructor(
    served: ServedResources,
    names: Names,
    private readonly onFailed: (error: unknown) => void,
  ) {
    this.#subjects = new Set(WARM_UP_OBJECTS.flatMap((each) => subjectOf(each, served, names) ?? []));
    this.#forms = [JSON_FORM, protobufForm(names.protobufMediaType)];
  }

  /**
   * Runs cycles for each kind, in each form.
   * @param name of the objects, which no other has at the time
   * @param goesOn asked before each request; nothing more is sent once it says no
   */
  async run(connection: WarmUpConnection, name: string, goesOn: () => boolean): Promise<void> {
    while (this.#subjects.size > 0 && goesOn()) {
      for (const subject of this.#subjects) {
        for (const form of this.#forms) await this.#cycle(connection, subject, stepsOf(subject, form, name), goesOn);
      }
    }
  }

  async #cycle(
    connection: WarmUpConnection,
    subject: Subject,
    steps: readonly Step[],
    goesOn: () => boolean,
  ): Promise<void> {
    try {
      for (const step of steps) {
        if (!goesOn() || !this.#subjects.has(subject)) return;
        await step(connection);
        this.answered++;
      }
    } catch (error) {
      // Several connections may be at it.
      if (this.#subjects.delete(subject) && goesOn()) this.onFailed(error);
    }
  }
}

function subjectOf(
  { group, version, resource, hasStatus = false, content }: (typeof WARM_UP_OBJECTS)[number],
  served: ServedResources,
  names: Names,
): Subject | undefined {
  const endpoint = served.current.find(names.group(group), version, resource);
  if (!endpoint) return undefined;
  const { apiVersion, definition } = endpoint;
  const within = definition.namespaced ? '/namespaces/default' : '';
  const path = `${group === '' ? '/api' : '/apis'}/${apiVersion}${within}/${resource}`;
  return { endpoint, path, hasStatus, object: { apiVersion, kind: definition.kind, ...content } };
}

type Step = (connection: WarmUpConnection) => Promise<void>;

/** The requests of one cycle, in turn: each works on what the last one was answered. */
function stepsOf({ endpoint, path, object, hasStatus }: Subject, form: WireForm, name: string): readonly Step[] {
  const { mediaType } = form;
  const own = `${path}/${name}`;
  let current: ApiObject = { ...object, metadata: { name } };
  const send = async (connection: WarmUpConnection, request: Omit<SentRequest, 'mediaType'>) =>
    requireSuccess(await connection.send({ ...request, mediaType }), request);
  const written = (method: string, at: string, change: (of: ApiObject) => ApiObject): Step => {
    return async (connection) => {
      const body = form.encode(endpoint, change(current));
      current = form.decode(endpoint, await send(connection, { method, path: at, body }));
    };
  };
  const patch = Buffer.from('{"metadata":{"annotations":{"warm-up":"patched"}}}');
  const plain =
    (request: Omit<SentRequest, 'mediaType'>): Step =>
    async (connection) => {
      await send(connection, request);
    };
  return [
    written('POST', path, (sent) => sent),
    plain({ method: 'GET', path: own }),
    written('PUT', own, labelled),
    ...(hasStatus ? [written('PUT', `${own}/status`, (sent) => ({ ...sent, status: object.status ?? {} }))] : []),
    plain({ method: 'PATCH', path: own, bodyType: MERGE_PATCH, body: patch }),
    plain({ method: 'DELETE', path: `${own}?gracePeriodSeconds=0` }),
  ];
}

const labelled = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...WARM_UP_LABELS } },
});

function requireSuccess({ code, body }: Received, { method, path }: Pick<SentRequest, 'method' | 'path'>): Buffer {
  if (code >= 300) throw new Error(`${method} ${path} was answered with ${code}: ${body.toString().slice(0, 300)}`);
  return body;
}
