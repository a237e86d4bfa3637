import { type ApiObject, forbidden, notFound } from '@orch/machinery';
import type { Pod, ServiceAccount } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../attributes.js';
import type { ServerWriter } from '../../own-writes.js';
import { attributesOf, pluginOf, refusalOf, TestObjects, targetOf } from '../../testing/index.js';
import { terminatingNamespace } from '../namespaces/namespace-lifecycle.js';

type Spec = NonNullable<Pod['spec']>;
const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const account = (name: string, rest: Omit<ServiceAccount, 'metadata'> = {}, annotations: Record<string, string> = {}) =>
  ({ metadata: { namespace: 'default', name, annotations }, ...rest }) as ApiObject;
const PLAIN = account('default');
const STRICT = account(
  'strict',
  { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'registry' }] },
  { 'kubernetes.io/enforce-mountable-secrets': 'true' },
);

function rig(accounts: readonly ApiObject[] = [PLAIN, STRICT], create?: ServerWriter['create']) {
  const objects = new TestObjects().put('', 'serviceaccounts', ...accounts);
  return pluginOf('ServiceAccount', { objects, ...(create && { ownWrites: { create } }) });
}

/** What becomes of a new pod, or why it is refused. */
async function created(pod: Pod, plugin = rig(), target: Partial<Attributes> = {}): Promise<Spec | string> {
  const object = pod as ApiObject & Pod;
  return (await refusalOf(plugin, attributesOf({ ...target, object }))) ?? object.spec ?? {};
}

/** The spec of a pod that must not be refused. */
async function completed(spec: Spec, plugin = rig()): Promise<Spec> {
  const found = await created({ spec }, plugin);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

describe('a new pod', () => {
  it('runs as the default account, with its token', async () => {
    const spec = await completed({ initContainers: [{ name: 'i' }], containers: [{ name: 'c' }] });
    const name = spec.volumes?.[0]?.name ?? '';
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const mounted = [{ name, readOnly: true, mountPath: MOUNT }];
    expect(spec).toEqual({
      serviceAccountName: 'default',
      initContainers: [{ name: 'i', volumeMounts: mounted }],
      containers: [{ name: 'c', volumeMounts: mounted }],
      volumes: [
        {
          name,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
          },
        },
      ],
    });
  });

  it('is completed once, however often it is looked at', async () => {
    const spec = await completed({ containers: [{ name: 'c' }] });
    const before = structuredClone(spec);
    expect(await completed(spec)).toEqual(before);
  });

  it('keeps what it mounts there itself', async () => {
    const own = { name: 'mine', mountPath: MOUNT };
    const spec = await completed({ containers: [{ name: 'c', volumeMounts: [own] }] });
    expect(spec).toEqual({ serviceAccountName: 'default', containers: [{ name: 'c', volumeMounts: [own] }] });
    const other = await completed({ containers: [{ name: 'c', volumeMounts: [own] }, { name: 'd' }] });
    expect(other.containers?.map(({ volumeMounts }) => volumeMounts?.length)).toEqual([1, 1]);
    expect(other.volumes).toHaveLength(1);
  });

  it('uses a volume of the name that it brings', async () => {
    const volumes = [{ name: 'kube-api-access-mine', emptyDir: {} }];
    const spec = await completed({ volumes, containers: [{ name: 'c' }] });
    expect(spec.volumes).toEqual(volumes);
    expect(spec.containers?.[0]?.volumeMounts?.[0]?.name).toBe('kube-api-access-mine');
  });

  it.each([
    [undefined, undefined, true],
    [undefined, false, false],
    [true, false, true],
    [false, true, false],
  ])('gets no token where that is not wanted: pod %s, account %s', async (own, theirs, mounts) => {
    const named = account('default', theirs === undefined ? {} : { automountServiceAccountToken: theirs });
    const said = own === undefined ? {} : { automountServiceAccountToken: own };
    const spec = await completed({ containers: [{ name: 'c' }], ...said }, rig([named]));
    expect(spec.volumes !== undefined).toBe(mounts);
  });

  it('gets the secrets for registries of its account, if it names none', async () => {
    const named = account('default', { imagePullSecrets: [{ name: 'a' }, { name: 'b' }] });
    expect(await completed({}, rig([named]))).toMatchObject({ imagePullSecrets: [{ name: 'a' }, { name: 'b' }] });
    const own = { imagePullSecrets: [{ name: 'mine' }] };
    expect(await completed({ ...own }, rig([named]))).toMatchObject(own);
    expect(await completed({})).toEqual({ serviceAccountName: 'default' });
  });

  it('needs an account that is there', async () => {
    expect(await created({ spec: { serviceAccountName: 'gone' } })).toBe(
      'pods "a" is forbidden: error looking up service account default/gone: serviceaccount "gone" not found',
    );
  });
});

describe('the default account', () => {
  const make = async (_: unknown, object: ApiObject) => ({ ...object, automountServiceAccountToken: false });

  it('is made for a pod that comes before it', async () => {
    const made: unknown[] = [];
    const objects = new TestObjects();
    const create: ServerWriter['create'] = async (resource, object, deadline) => {
      made.push([resource, object, deadline]);
      objects.put('', 'serviceaccounts', object);
      return object;
    };
    const plugin = pluginOf('ServiceAccount', { objects, ownWrites: { create } });
    const target = { namespace: 'new', deadline: 5 };
    expect(await created({ spec: {} }, plugin, target)).toEqual({ serviceAccountName: 'default' });
    const account = { metadata: { namespace: 'new', name: 'default' } };
    expect(made).toEqual([[{ group: '', resource: 'serviceaccounts' }, account, 5]]);
  });

  it('is not made for one that is only tried', async () => {
    const refuse: ServerWriter['create'] = () => Promise.reject(new Error('made'));
    const dry = { options: { dryRun: true } };
    expect(await created({ spec: {} }, rig([], refuse), dry)).toEqual({ serviceAccountName: 'default' });
  });

  it('is used as it is then', async () => {
    expect(await completed({ containers: [{ name: 'c' }] }, rig([], make))).toEqual({
      serviceAccountName: 'default',
      containers: [{ name: 'c' }],
    });
  });

  it('cannot be made in a namespace that is not there, or is going', async () => {
    const gone = async () => Promise.reject(notFound({ group: '', resource: 'namespaces' }, 'default'));
    expect(await created({ spec: {} }, rig([], gone))).toBe('namespaces "default" not found');
    const accounts = { group: '', resource: 'serviceaccounts' };
    const going = async () => Promise.reject(terminatingNamespace(accounts, 'default', 'default'));
    expect(await created({ spec: {} }, rig([], going))).toBe(
      'pods "a" is forbidden: unable to create new content in namespace default because it is being terminated',
    );
    const refused = async () => Promise.reject(forbidden(accounts, 'default', 'somebody says no'));
    expect(await created({ spec: {} }, rig([], refused))).toBe(
      'pods "a" is forbidden: error looking up service account default/default: serviceaccounts "default" is forbidden: somebody says no',
    );
  });
});

describe('an account that says which secrets may be used', () => {
  const by = (spec: Spec) => created({ spec: { serviceAccountName: 'strict', ...spec } });
  const secretKeyRef = (name: string) => ({ name, key: 'k' });
  const NOT = 'is not allowed because service account strict does not reference that';

  it('lets those pass that it names', async () => {
    const spec = await by({
      volumes: [{ name: 'v', secret: { secretName: 'mine' } }],
      containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: secretKeyRef('mine') } }] }],
    });
    expect(spec).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
  });

  it.each<[Spec, string]>([
    [{ volumes: [{ name: 'v', secret: { secretName: 'x' } }] }, `volume with secret.secretName="x" ${NOT} secret`],
    [
      { initContainers: [{ name: 'i', env: [{ name: 'E', valueFrom: { secretKeyRef: secretKeyRef('x') } }] }] },
      `init container i with envVar E referencing secret.secretName="x" ${NOT} secret`,
    ],
    [
      { containers: [{ name: 'c', envFrom: [{ secretRef: { name: 'x' } }] }] },
      `container c with envFrom referencing secret.secretName="x" ${NOT} secret`,
    ],
    [
      { initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'x' } }] }] },
      `init container i with envFrom referencing secret.secretName="x" ${NOT} secret`,
    ],
    [
      { imagePullSecrets: [{ name: 'registry' }, { name: 'x' }] },
      `imagePullSecrets[1].name="x" ${NOT} imagePullSecret`,
    ],
  ])('refuses others: %j', async (spec, why) => {
    expect(await by(spec)).toBe(`pods "a" is forbidden: ${why}`);
  });

  it('holds for containers that are added', async () => {
    const env = [{ name: 'E', valueFrom: { secretKeyRef: secretKeyRef('x') } }];
    const ephemeralContainers = [{ name: 'e', env }];
    const target = { operation: 'UPDATE', subresource: 'ephemeralcontainers' } as const;
    expect(await created({ spec: { serviceAccountName: 'strict', ephemeralContainers } }, rig(), target)).toBe(
      `pods "a" is forbidden: ephemeral container e with envVar E referencing secret.secretName="x" ${NOT} secret`,
    );
    const whole = [{ name: 'e', envFrom: [{ secretRef: { name: 'x' } }] }];
    expect(await created({ spec: { serviceAccountName: 'strict', ephemeralContainers: whole } }, rig(), target)).toBe(
      `pods "a" is forbidden: ephemeral container e with envFrom referencing secret.secretName="x" ${NOT} secret`,
    );
    expect(await created({ spec: { serviceAccountName: 'default', ephemeralContainers } }, rig(), target)).toEqual({
      serviceAccountName: 'default',
      ephemeralContainers,
    });
    expect(await created({ spec: {} }, rig(), target)).toBe(
      'pods "a" is forbidden: no service account specified for pod default/',
    );
  });
});

describe('a pod that a node runs by itself', () => {
  const metadata = { annotations: { 'kubernetes.io/config.mirror': 'x' } };

  it('is as it is', async () => {
    expect(await created({ metadata, spec: { containers: [{ name: 'c' }] } }, rig([]))).toEqual({
      containers: [{ name: 'c' }],
    });
  });

  it.each<[Spec, string]>([
    [{ serviceAccountName: 'default' }, 'a mirror pod may not reference service accounts'],
    [{ imagePullSecrets: [{ name: 'x' }] }, 'a mirror pod may not reference secrets'],
    [
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ])('gives its node nothing: %j', async (spec, why) => {
    expect(await created({ metadata, spec })).toBe(`pods "a" is forbidden: ${why}`);
  });
});

it('other writes are none of its business', () => {
  const plugin = rig();
  expect(plugin.handles(targetOf({ operation: 'UPDATE' }))).toBe(false);
  expect(plugin.handles(targetOf({ subresource: 'status', operation: 'UPDATE' }))).toBe(false);
  expect(plugin.handles(targetOf({ subresource: 'binding' }))).toBe(false);
});
