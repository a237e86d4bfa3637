import { defaultsNumber, type KindRules, type KindSettings, kindRules } from '@orch/kinds';
import { applyDefaults, type ResourceDefinition, type Scheme } from '@orch/schema';
import type { Defaulting } from '../stored/stored-form.js';

/**
 * Creates the defaulting of a declared kind for all of its versions.
 * @param hub version that its objects are validated in
 */
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
