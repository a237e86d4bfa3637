import { defaultsNumber, type KindRules, type KindSettings, kindRules } from '@orch/kinds';
import { applyDefaults, type ResourceDefinition, type Scheme } from '@orch/schema';
import type { Defaulting } from '../stored/stored-form.js';

/** What the versions of a kind fill in. @param hub the one that its objects are judged in */
export function defaultingOf(hub: ResourceDefinition, scheme: Scheme, settings: KindSettings): Defaulting {
  const { names } = scheme;
  const rules = new Map<string, KindRules>();
  const rulesOf = (definition: ResourceDefinition): KindRules => {
    const known = rules.get(definition.version) ?? kindRules(definition, names, settings);
    rules.set(definition.version, known);
    return known;
  };
  const number = defaultsNumber(hub, names, settings);
  return {
    numberOf: () => number,
    fill(version, object) {
      const definition = scheme.resource(hub.group, version, hub.resource);
      if (!definition) return;
      applyDefaults(definition.schema, object);
      rulesOf(definition).defaults(object);
    },
  };
}
