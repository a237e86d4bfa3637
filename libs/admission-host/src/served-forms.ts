import type { KnownForm, KnownKinds } from '@orch/admission';
import type { GroupVersionKind } from '@orch/machinery';
import type { ServedResources } from '@orch/resources';
import type { Scheme } from '@orch/schema';

/** The kinds and schemas of the served resources, for the type checking of expressions. */
export class ServedKindForms implements KnownKinds {
  constructor(private readonly parts: { readonly served: Pick<ServedResources, 'current'>; readonly scheme: Scheme }) {}

  kindOf(group: string, version: string, resource: string): string | undefined {
    return this.parts.served.current.find(group, version, resource)?.definition.kind;
  }

  formOf({ group, version, kind }: GroupVersionKind): KnownForm | undefined {
    const { served, scheme } = this.parts;
    for (const { endpoint } of served.current.groups.get(group)?.values() ?? []) {
      const { definition, model } = endpoint;
      if (definition.version !== version || definition.kind !== kind) continue;
      if (model.struct) return { struct: model.struct };
      return model.declared && { declared: model.declared, metadata: scheme.struct('meta/v1.ObjectMeta') };
    }
    return undefined;
  }
}
