import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '@orch/machinery';
import type { PodSpec, Volume } from '@orch/schema/types/core/v1';
import { requiredText } from '../../rules/checks.js';
import type { PodContext } from '../pod-context.js';
import * as cloud from './cloud-volumes.js';
import * as driver from './driver-volumes.js';
import * as file from './file-volumes.js';
import * as network from './network-volumes.js';

/** The name of a member of a volume that holds its source. */
type SourceName = Exclude<keyof Volume, 'name'>;

interface SourceRule<K extends SourceName> {
  readonly check: (source: NonNullable<Volume[K]>, path: string, context: PodContext) => FieldError[];
  /** The member in the path of errors, where the reference does not use the name of the field. */
  readonly shownAs?: string;
  /** The same, of a source that is one too many. */
  readonly shownExtra?: string;
}

/** Every source of a volume, in the order in which the reference looks: of several it is the first that counts. */
const SOURCES: { readonly [name in SourceName]-?: SourceRule<name> } = {
  emptyDir: { check: file.validateEmptyDir },
  hostPath: { check: file.validateHostPath },
  gitRepo: { check: file.validateGitRepo },
  gcePersistentDisk: { check: cloud.validateGceDisk, shownAs: 'persistentDisk' },
  awsElasticBlockStore: { check: cloud.validateAwsDisk },
  secret: { check: file.validateSecretVolume },
  nfs: { check: network.validateNfs },
  iscsi: { check: network.validateIscsi },
  glusterfs: { check: network.validateGlusterfs },
  flocker: { check: network.validateFlocker },
  persistentVolumeClaim: { check: driver.validateClaimVolume },
  rbd: { check: network.validateRbd },
  cinder: { check: cloud.validateCinder },
  cephfs: { check: network.validateCephFs, shownExtra: 'cephFS' },
  quobyte: { check: network.validateQuobyte },
  downwardAPI: { check: file.validateDownward, shownExtra: 'downwarAPI' },
  fc: { check: network.validateFibreChannel },
  flexVolume: { check: driver.validateFlex },
  configMap: { check: file.validateConfigMapVolume },
  azureFile: { check: cloud.validateAzureFile },
  vsphereVolume: { check: cloud.validateVsphere },
  photonPersistentDisk: { check: cloud.validatePhoton },
  portworxVolume: { check: cloud.validatePortworx },
  azureDisk: { check: cloud.validateAzureDisk },
  storageos: { check: network.validateStorageOs },
  projected: { check: file.validateProjected },
  scaleIO: { check: network.validateScaleIo },
  csi: { check: driver.validateCsi },
  ephemeral: { check: driver.validateEphemeral },
};
const NAMES = Object.keys(SOURCES) as SourceName[];
const MAX_ISCSI_NAME = 64;

/** The volumes of a pod spec; `volumes` are those that containers can mount, by name. */
export function validateVolumes(
  spec: PodSpec | undefined,
  path: string,
  context: PodContext,
): { errors: FieldError[]; volumes: ReadonlyMap<string, Volume> } {
  const volumes = new Map<string, Volume>();
  const all = spec?.volumes ?? [];
  const made = claimsMade(all, context);
  const errors = all.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const name = volume.name ?? '';
    const found = [...validateSource(volume, at, context), ...requiredText(volume, at, 'name', dnsLabelErrors)];
    if (volumes.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === 0) volumes.set(name, volume);
    return [...found, ...validateClaimed(volume, at, made)];
  });
  return { errors, volumes };
}

function validateSource(volume: Volume, path: string, context: PodContext): FieldError[] {
  const [source, ...others] = NAMES.filter((name) => volume[name]);
  if (source === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...validateFirst(volume, source, path, context),
    ...(source === 'ephemeral' ? validateMadeName(volume.name ?? '', path, context) : []),
    ...others.map((name) =>
      forbiddenField(`${path}.${SOURCES[name].shownExtra ?? name}`, 'may not specify more than 1 volume type'),
    ),
    ...validateIscsiName(volume, path),
  ];
}

function validateFirst<K extends SourceName>(
  volume: Volume,
  source: K,
  path: string,
  context: PodContext,
): FieldError[] {
  const { check, shownAs = source } = SOURCES[source];
  return check(volume[source] as NonNullable<Volume[K]>, `${path}.${shownAs}`, context);
}

/** Checks the length of the two names together, under which the node registers the volume. */
function validateIscsiName(volume: Volume, path: string): FieldError[] {
  if (!volume.iscsi || typeof volume.iscsi.initiatorName !== 'string') return [];
  const name = volume.name ?? '';
  if (`${name}:${volume.iscsi.targetPortal ?? ''}`.length <= MAX_ISCSI_NAME) return [];
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_ISCSI_NAME} characters if iscsi.initiatorName is specified.`;
  return [invalidValue(`${path}.name`, name, text)];
}

/** Names of the claims that are made for the pod: of the names of both. */
const claimName = (volume: string, { podName }: PodContext): string => (podName ? `${podName}-${volume}` : '');

const claimsMade = (volumes: readonly Volume[], context: PodContext): ReadonlySet<string> =>
  new Set(volumes.flatMap((volume) => (volume.ephemeral ? [claimName(volume.name ?? '', context)] : [])));

function validateMadeName(volume: string, path: string, context: PodContext): FieldError[] {
  const name = volume && claimName(volume, context);
  if (name === '') return [];
  return dnsSubdomainErrors(name).map((text) =>
    invalidValue(`${path}.name`, volume, `PVC name ${JSON.stringify(name)}: ${text}`),
  );
}

function validateClaimed(volume: Volume, path: string, made: ReadonlySet<string>): FieldError[] {
  const name = volume.persistentVolumeClaim?.claimName ?? '';
  if (name === '' || !made.has(name)) return [];
  const text = 'must not reference a PVC that gets created for an ephemeral volume';
  return [invalidValue(`${path}.persistentVolumeClaim.claimName`, name, text)];
}
