import type { Target } from '../../attributes.js';

/** Whether a write is about pods themselves, through no subresource. */
export const isAboutPods = ({ group, resource, subresource }: Target): boolean =>
  resource === 'pods' && subresource === '' && group === '';
