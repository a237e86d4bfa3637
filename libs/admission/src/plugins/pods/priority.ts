import type { Pod } from '@orch/schema/types/core/v1';
import type { PriorityClass } from '@orch/schema/types/scheduling/v1';
import type { Attributes, Target } from '../../attributes.js';
import { requireReadable } from '../../known-objects.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { isAboutPods } from './pods.js';

/** The members of a PriorityClass that pods take over. */
type Rank = Pick<PriorityClass, 'value' | 'preemptionPolicy'>;

const WITHOUT_CLASS: Rank = { value: 0, preemptionPolicy: 'PreemptLowerPriority' };

/** Sets the priority of new pods from their class, and refuses a second default class. */
export const priority: PluginMaker = ({ names, objects }) => {
  const group = names.group('scheduling.orch.io');
  const classes = objects.follow({ group: 'scheduling.orch.io', resource: 'priorityclasses' });
  const all = () => [...classes.all()] as PriorityClass[];
  const isAboutClasses = (target: Target) =>
    target.resource === 'priorityclasses' && target.subresource === '' && target.group === group;
  const defaultClass = () => lowest(all().filter(({ globalDefault }) => globalDefault === true));
  return {
    name: 'Priority',
    needs: ['priorities'],
    readsOnly: true,
    handles: (target) => target.operation !== 'DELETE' && (isAboutPods(target) || isAboutClasses(target)),
    admit(attributes) {
      if (attributes.resource !== 'pods') return;
      const { spec = {} } = attributes.object as Pod;
      if (attributes.operation === 'UPDATE') return keepRank(spec, (attributes.oldObject as Pod).spec ?? {});
      const name = spec.priorityClassName ?? '';
      const found = name === '' ? defaultClass() : (classes.get('', name) as PriorityClass | undefined);
      // An unreadable class may be the default, or the named one.
      if (name === '' || !found) requireReadable(classes, '');
      if (!found && name !== '') throw refusal(attributes, `no PriorityClass with name ${name} was found`);
      if (name === '' && found?.metadata?.name) spec.priorityClassName = found.metadata.name;
      giveRank(attributes, spec, found ?? WITHOUT_CLASS);
    },
    validate(attributes) {
      if (attributes.resource === 'pods' || (attributes.object as PriorityClass).globalDefault !== true) return;
      const name = defaultClass()?.metadata?.name;
      if (attributes.operation === 'UPDATE' && name === attributes.name) return;
      if (name === undefined) requireReadable(classes, '');
      if (name !== undefined)
        throw refusal(attributes, `PriorityClass ${name} is already marked as default. Only one default can exist`);
    },
  };
};

function lowest(classes: readonly PriorityClass[]): PriorityClass | undefined {
  return [...classes].sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

/** Keeps the priority of a pod whose update does not give one. */
function keepRank(spec: NonNullable<Pod['spec']>, old: NonNullable<Pod['spec']>): void {
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.preemptionPolicy;
}

function giveRank(attributes: Attributes, spec: NonNullable<Pod['spec']>, { value = 0, preemptionPolicy }: Rank): void {
  const must = (what: string, actual: unknown, found: unknown) =>
    refusal(
      attributes,
      `the ${what} (${actual}) must not be provided in pod spec; priority admission controller computed ${found} from the given PriorityClass name`,
    );
  if (spec.priority !== undefined && spec.priority !== value)
    throw must('integer value of priority', spec.priority, value);
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
    throw must('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy);
  spec.preemptionPolicy = preemptionPolicy;
}
