import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '@orch/machinery';
import { requiredText } from '../../rules/checks.js';
import { isObject, type Json, objectsAt, textAt } from '../../values/fields.js';
import type { PodContext } from '../pod-context.js';
import * as cloud from './cloud-volumes.js';
import * as driver from './driver-volumes.js';
import * as file from './file-volumes.js';
import * as network from './network-volumes.js';

interface SourceRule {
  readonly check: (source: Json, path: string, context: PodContext) => FieldError[];
  /** Where errors are told, where the reference does not call it as the field is called. */
  readonly told?: string;
  /** The same, of a source that is one too many. */
  readonly toldExtra?: string;
}

/** Every source of a volume, in the order in which the reference looks: of several it is the first that counts. */
const SOURCES: readonly (readonly [string, SourceRule])[] = [
  ['emptyDir', { check: file.validateEmptyDir }],
  ['hostPath', { check: file.validateHostPath }],
  ['gitRepo', { check: file.validateGitRepo }],
  ['gcePersistentDisk', { check: cloud.validateGceDisk, told: 'persistentDisk' }],
  ['awsElasticBlockStore', { check: cloud.validateAwsDisk }],
  ['secret', { check: file.validateSecretVolume }],
  ['nfs', { check: network.validateNfs }],
  ['iscsi', { check: network.validateIscsi }],
  ['glusterfs', { check: network.validateGlusterfs }],
  ['flocker', { check: network.validateFlocker }],
  ['persistentVolumeClaim', { check: driver.validateClaimVolume }],
  ['rbd', { check: network.validateRbd }],
  ['cinder', { check: cloud.validateCinder }],
  ['cephfs', { check: network.validateCephFs, toldExtra: 'cephFS' }],
  ['quobyte', { check: network.validateQuobyte }],
  ['downwardAPI', { check: file.validateDownward, toldExtra: 'downwarAPI' }],
  ['fc', { check: network.validateFibreChannel }],
  ['flexVolume', { check: driver.validateFlex }],
  ['configMap', { check: file.validateConfigMapVolume }],
  ['azureFile', { check: cloud.validateAzureFile }],
  ['vsphereVolume', { check: cloud.validateVsphere }],
  ['photonPersistentDisk', { check: cloud.validatePhoton }],
  ['portworxVolume', { check: cloud.validatePortworx }],
  ['azureDisk', { check: cloud.validateAzureDisk }],
  ['storageos', { check: network.validateStorageOs }],
  ['projected', { check: file.validateProjected }],
  ['scaleIO', { check: network.validateScaleIo }],
  ['csi', { check: driver.validateCsi }],
  ['ephemeral', { check: driver.validateEphemeral }],
];
const MAX_ISCSI_NAME = 64;

/** The volumes of a pod spec; `volumes` are those that containers can mount, by name. */
export function validateVolumes(
  spec: unknown,
  path: string,
  context: PodContext,
): { errors: FieldError[]; volumes: ReadonlyMap<string, Json> } {
  const volumes = new Map<string, Json>();
  const all = objectsAt(spec, 'volumes');
  const made = claimsMade(all, context);
  const errors = all.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const name = textAt(volume, 'name');
    const found = [...validateSource(volume, at, context), ...requiredText(volume, at, 'name', dnsLabelErrors)];
    if (volumes.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === 0) volumes.set(name, volume);
    return [...found, ...validateClaimed(volume, at, made)];
  });
  return { errors, volumes };
}

function validateSource(volume: Json, path: string, context: PodContext): FieldError[] {
  const [first, ...others] = SOURCES.filter(([name]) => isObject(volume[name]));
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const [source, { check, told = source }] = first;
  return [
    ...check(volume[source] as Json, `${path}.${told}`, context),
    ...(source === 'ephemeral' ? validateMadeName(textAt(volume, 'name'), path, context) : []),
    ...others.map(([name, { toldExtra = name }]) =>
      forbiddenField(`${path}.${toldExtra}`, 'may not specify more than 1 volume type'),
    ),
    ...validateIscsiName(volume, path),
  ];
}

/** What the node registers under the two names together. */
function validateIscsiName(volume: Json, path: string): FieldError[] {
  if (!isObject(volume.iscsi) || typeof volume.iscsi.initiatorName !== 'string') return [];
  const name = textAt(volume, 'name');
  if (`${name}:${textAt(volume.iscsi, 'targetPortal')}`.length <= MAX_ISCSI_NAME) return [];
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_ISCSI_NAME} characters if iscsi.initiatorName is specified.`;
  return [invalidValue(`${path}.name`, name, text)];
}

/** Names of the claims that are made for the pod: of the names of both. */
const claimName = (volume: string, { podName }: PodContext): string => (podName ? `${podName}-${volume}` : '');

const claimsMade = (volumes: readonly Json[], context: PodContext): ReadonlySet<string> =>
  new Set(
    volumes.flatMap((volume) => (isObject(volume.ephemeral) ? [claimName(textAt(volume, 'name'), context)] : [])),
  );

function validateMadeName(volume: string, path: string, context: PodContext): FieldError[] {
  const name = volume && claimName(volume, context);
  if (name === '') return [];
  return dnsSubdomainErrors(name).map((text) =>
    invalidValue(`${path}.name`, volume, `PVC name ${JSON.stringify(name)}: ${text}`),
  );
}

function validateClaimed(volume: Json, path: string, made: ReadonlySet<string>): FieldError[] {
  const name = textAt(volume, 'persistentVolumeClaim', 'claimName');
  if (name === '' || !made.has(name)) return [];
  const text = 'must not reference a PVC that gets created for an ephemeral volume';
  return [invalidValue(`${path}.persistentVolumeClaim.claimName`, name, text)];
}
