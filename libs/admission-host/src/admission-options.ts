import { PLUGINS } from '@orch/admission';
import type { OptionValues } from '@orch/runtime';

const namesOf = (isWanted: (plugin: (typeof PLUGINS)[number]) => boolean) =>
  PLUGINS.filter(isWanted)
    .map(({ name }) => name)
    .sort()
    .join(', ');

/** Options of what may be written. */
export const admissionOptions = {
  'enable-admission-plugins': {
    type: 'list',
    default: [],
    help: `Admission plugins to enable in addition to those that are on by default (${namesOf(({ onByDefault }) => onByDefault === true)}; with the naming orch, ${namesOf(({ onByDefault }) => onByDefault === 'orch')} as well): ${namesOf(({ onByDefault }) => onByDefault !== true)}. Their order has no meaning.`,
  },
  'disable-admission-plugins': {
    type: 'list',
    default: [],
    help: 'Admission plugins to disable, although they are on by default. Their order has no meaning.',
  },
  'admission-control-config-file': {
    type: 'string',
    help: 'File of an AdmissionConfiguration with the configurations of admission plugins, inline or as paths of further files. It is read at start.',
  },
  'root-ca-file': {
    type: 'string',
    help: 'File of certificate authorities with which pods verify the API. Every namespace gets a ConfigMap kube-root-ca.crt with its content, which token volumes project. It is read at start. Default: no ConfigMaps are created.',
  },
  'default-not-ready-toleration-seconds': {
    type: 'int',
    default: 300,
    unit: 'seconds',
    help: 'How long pods without a toleration for it stay on a node that is not ready (plugin DefaultTolerationSeconds).',
  },
  'default-unreachable-toleration-seconds': {
    type: 'int',
    default: 300,
    unit: 'seconds',
    help: 'How long pods without a toleration for it stay on a node that cannot be reached (plugin DefaultTolerationSeconds).',
  },
} as const;

/** Values of {@link admissionOptions}. */
export type AdmissionOptions = OptionValues<typeof admissionOptions>;
