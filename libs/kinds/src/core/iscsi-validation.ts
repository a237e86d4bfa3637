import { type FieldError, invalidValue, required } from '@orch/machinery';
import type { ISCSIPersistentVolumeSource } from '@orch/schema/types/core/v1';
import { rangeText } from '../rules/checks.js';

/** Names of initiators and targets, by how they begin. */
const FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};
const MAX_LUN = 255;
const MAX_TARGET = 64;
/** Longest name that is tested; no valid name is as long. */
const TESTED_MAX = 4_096;
const TARGET_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** A persistent volume on iSCSI. Two fields are named in errors as clients know them. */
export function validateIscsi(source: ISCSIPersistentVolumeSource, path: string, volume: string): FieldError[] {
  const portal = source.targetPortal ?? '';
  const lun = source.lun ?? 0;
  const { initiatorName: initiator, secretRef: secret } = source;
  const long = typeof initiator === 'string' && Buffer.byteLength(`${volume}:${portal}`) > MAX_TARGET;
  const chap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  return [
    ...(portal === '' ? [required(`${path}.targetPortal`)] : []),
    ...(long ? [invalidValue(`${path}.targetportal`, portal, TARGET_TOO_LONG)] : []),
    ...validateTarget(source.iqn ?? '', `${path}.iqn`),
    ...(lun >= 0 && lun <= MAX_LUN ? [] : [invalidValue(`${path}.lun`, lun, rangeText(0, MAX_LUN))]),
    ...(chap && !secret ? [required(`${path}.secretRef`)] : []),
    ...(secret && (secret.name ?? '') === '' ? [required(`${path}.secretRef.name`)] : []),
    ...(typeof initiator === 'string' ? validateName(initiator, `${path}.initiatorname`) : []),
  ];
}

const validateTarget = (name: string, field: string): FieldError[] =>
  name === '' ? [required(field)] : validateName(name, field);

const validateName = (name: string, field: string): FieldError[] =>
  name.length <= TESTED_MAX && FORMS[name.slice(0, 3)]?.test(name)
    ? []
    : [invalidValue(field, name, 'must be valid format')];
