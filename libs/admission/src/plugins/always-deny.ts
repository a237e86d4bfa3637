import type { Attributes } from '../attributes.js';
import type { PluginMaker } from '../plugin.js';
import { refusal } from '../refusal.js';

/** User of the server, which creates the objects of every installation before the first request. */
const SERVER = 'system:apiserver';

/** Refuses whatever clients write: for tests. */
export const alwaysDeny: PluginMaker = () => {
  const deny = (attributes: Attributes): void => {
    if (attributes.user.name !== SERVER) throw refusal(attributes, 'admission control is denying all modifications');
  };
  return {
    name: 'AlwaysDeny',
    readsOnly: true,
    admitsConnections: true,
    handles: () => true,
    admit: deny,
    validate: deny,
  };
};
