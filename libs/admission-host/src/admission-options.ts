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
    help: `Admission plugins to ask beside those that are on by default (${namesOf(({ onByDefault }) => onByDefault === true)}; with the naming orch, ${namesOf(({ onByDefault }) => onByDefault === 'orch')} as well): ${namesOf(({ onByDefault }) => onByDefault !== true)}. The order in which they are named means nothing.`,
  },
  'disable-admission-plugins': {
    type: 'list',
    default: [],
    help: 'Admission plugins not to ask though they are on by default. The order in which they are named means nothing.',
  },
  'admission-control-config-file': {
    type: 'string',
    help: 'File of an AdmissionConfiguration: what plugins are configured with, in it or in files that it names. Read at start.',
  },
  'root-ca-file': {
    type: 'string',
    help: 'File of certificates that pods are to know the API by: every namespace gets a config map kube-root-ca.crt with them, which the volumes of tokens project. Read at start. Default: none are made.',
  },
  'default-not-ready-toleration-seconds': {
    type: 'int',
    default: 300,
    unit: 'seconds',
    help: 'How long pods that say nothing of it stay on a node that is not ready (the plugin DefaultTolerationSeconds).',
  },
  'default-unreachable-toleration-seconds': {
    type: 'int',
    default: 300,
    unit: 'seconds',
    help: 'The same of a node that cannot be reached.',
  },
} as const;

/** Values of {@link admissionOptions}. */
export type AdmissionOptions = OptionValues<typeof admissionOptions>;
