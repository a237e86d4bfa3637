// Keeps a ConfigMap for every Greeting, and the message in the Greeting's status.
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';

interface Greeting extends KubernetesObject {
  readonly spec: { readonly name: string };
  readonly status?: { readonly message?: string };
}

const GREETINGS = { group: 'example.com', version: 'v1', plural: 'greetings' };
const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);

/** Brings one Greeting to its desired state. It may be called at any time, so it starts from what is there. */
async function reconcile(greeting: Greeting): Promise<void> {
  const { name = '', namespace = '' } = greeting.metadata ?? {};
  const message = `Hello, ${greeting.spec.name}!`;
  await writeConfigMap(greeting, { message });
  if (greeting.status?.message === message) return;
  const body = { status: { message } };
  await custom.patchNamespacedCustomObjectStatus({ ...GREETINGS, namespace, name, body }, MERGE_PATCH);
}

async function writeConfigMap(greeting: Greeting, data: Record<string, string>): Promise<void> {
  const { name = '', namespace = '', uid = '' } = greeting.metadata ?? {};
  const { apiVersion = '', kind = '' } = greeting;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  try {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, ownerReferences }, data } });
  } catch (error) {
    if (!(error instanceof ApiException) || error.code !== 409) throw error;
    await core.patchNamespacedConfigMap({ namespace, name, body: { data } }, MERGE_PATCH);
  }
}

const list = () => custom.listClusterCustomObject(GREETINGS);
const informer = makeInformer<Greeting>(config, '/apis/example.com/v1/greetings', list);
const RETRY_MS = 1_000;

/** Reconciles a Greeting as the informer knows it now, again after a failure, until it is gone. */
async function handle({ metadata }: Greeting): Promise<void> {
  const greeting = informer.get(metadata?.name ?? '', metadata?.namespace);
  if (!greeting) return;
  try {
    await reconcile(greeting);
  } catch (error) {
    console.error(error);
    setTimeout(handle, RETRY_MS, greeting);
  }
}

informer.on('add', handle);
informer.on('update', handle);
informer.on('error', (error) => {
  console.error(error);
  setTimeout(() => informer.start(), RETRY_MS);
});
await informer.start();
