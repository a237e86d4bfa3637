import { deployment, pod } from '@orch/machinery/testing';
import { ruledObject, simpleObject } from './custom-kinds.js';

/** Objects such as people write, of some size: a Deployment of 5 KiB, a Pod of 20 KiB, custom resources of 1 and 3 KiB. */
export type Workload = 'deployment' | 'pod' | 'simple' | 'ruled';

export interface WorkloadSettings {
  /** Tells one change from the next: of the images, and of an annotation of the Deployment. */
  readonly number: number;
  /**
   * Whether the number is only in one field: an annotation of the Deployment, or the one such field of custom
   * resources.
   */
  readonly oneField?: boolean;
  /** The version that it replaces. */
  readonly version?: string;
}

const NAME = 'the-name';
const NUMBER = '987654321';
/** In the namespace that the path says. */
const textOf = (object: object): string => JSON.stringify(object).replace('"namespace":"default",', '');

/** With what its service account would add, which updates must name again. */
function servedPod(): object {
  const made = pod(4, { name: NAME, tag: NUMBER, variables: 75 });
  const account = { serviceAccount: 'default', serviceAccountName: 'default', automountServiceAccountToken: false };
  return { ...made, spec: { ...Object(made.spec), ...account } };
}

const TEXTS: Readonly<Record<Workload, string>> = {
  deployment: textOf(deployment(NAME, Number(NUMBER))),
  pod: textOf(servedPod()),
  simple: textOf(simpleObject(NAME, NUMBER)),
  ruled: textOf(ruledObject(NAME, NUMBER)),
};

/** Put together from its text: what is measured is the server, not its client. */
export function workloadBody(workload: Workload, name: string, settings: WorkloadSettings): string {
  const { number, oneField = false, version } = settings;
  const changed = oneField ? TEXTS[workload].replace(NUMBER, String(number)) : TEXTS[workload];
  const text = changed.replaceAll(NUMBER, oneField ? '0' : String(number)).replace(NAME, name);
  return version === undefined ? text : text.replace('"metadata":{', `"metadata":{"resourceVersion":"${version}",`);
}
