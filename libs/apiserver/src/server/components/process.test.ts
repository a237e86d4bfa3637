import { expect, it } from 'vitest';
import { COMPONENTS } from '../control-plane.js';
import { checkParts, type DeclaredComponent } from './process.js';

const without = (name: string): DeclaredComponent[] => COMPONENTS.filter((component) => component.name !== name);

it('finds all parts of a process in the order in which its components start', () => {
  expect(() => checkParts(COMPONENTS)).not.toThrow();
});

it('names the component and the part that nobody makes', () => {
  expect(() => checkParts(without('feed'))).toThrow('component api needs changes, which no component makes');
  // Used once the process serves only.
  expect(() => checkParts(without('aggregated-apis').filter(({ name }) => name !== 'controllers'))).toThrow(
    'component plugins needs aggregated, which no component makes',
  );
});

it('names the component that would have to start before', () => {
  const feed = COMPONENTS.filter(({ name }) => name === 'feed');
  expect(() => checkParts([...without('feed'), ...feed])).toThrow(
    'component api needs changes of feed, which starts later',
  );
});
