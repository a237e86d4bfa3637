import type { Ingress } from '@orch/schema/types/networking/v1';
import { requireReadable } from '../../known-objects.js';
import type { PluginMaker } from '../../plugin.js';
import { defaultClassOf } from '../storage/default-classes.js';

/** Ingresses that name no class are of the default one, where there is one. */
export const defaultIngressClass: PluginMaker = ({ names, objects }) => {
  const ingresses = names.group('networking.orch.io');
  const classes = objects.follow({ group: 'networking.orch.io', resource: 'ingressclasses' });
  const isDefault = [names.key('ingressclass.orch.io/is-default-class')];
  const noted = names.key('orch.io/ingress.class');
  return {
    name: 'DefaultIngressClass',
    handles: ({ operation, group, resource, subresource }) =>
      resource === 'ingresses' && operation === 'CREATE' && subresource === '' && group === ingresses,
    admit({ object }) {
      const ingress = object as Ingress;
      if (ingress.spec?.ingressClassName !== undefined || ingress.metadata?.annotations?.[noted] !== undefined) return;
      requireReadable(classes, '');
      const name = defaultClassOf(classes.all(), isDefault)?.metadata?.name;
      if (name === undefined) return;
      ingress.spec ??= {};
      ingress.spec.ingressClassName = name;
    },
  };
};
