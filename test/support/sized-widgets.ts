/** The kind `Widget` in two versions that a webhook converts: `spec.size` in `v1`, which is stored, is `spec.dimension.size` in `v2`. */
export function sizedWidgets(definitions: { readonly group: string; readonly apiVersion: string }, conversion: object) {
  const count = { type: 'integer' };
  const version = (name: string, spec: object) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } },
    },
  });
  const { group, apiVersion } = definitions;
  return {
    apiVersion,
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        version('v1', { size: count }),
        version('v2', { dimension: { type: 'object', properties: { size: count } } }),
      ],
      conversion,
    },
  };
}
