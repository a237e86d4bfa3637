import { MAP_INSERT } from '../syntax/later-macros.js';
import { mapOf, paramOf } from '../types/type.js';
import { GrowingMap } from '../values/maps.js';
import { Dictionary, Failure, failureOr, noSuchOverload, type Value } from '../values/value.js';
import { globalForm, type Library } from './library.js';

const K = paramOf('K');
const V = paramOf('V');
const MAP = mapOf(K, V);

function growing(map: Value | undefined): GrowingMap | Failure {
  if (map instanceof GrowingMap) return map;
  return map instanceof Dictionary ? withAll(new GrowingMap(), map) : failureOr(map as Value);
}

function withAll(into: GrowingMap, from: Dictionary): GrowingMap | Failure {
  let map: GrowingMap | Failure = into;
  for (const key of from.keys()) {
    if (map instanceof Failure) return map;
    map = map.with(key, from.find(key) as Value);
  }
  return map;
}

/** Functions that the macros which make maps expand to. */
export const GATHERING_LIBRARY: Library = [
  {
    name: MAP_INSERT,
    forms: [
      globalForm('@mapInsert_map_key_value', [MAP, K, V], MAP, (map, key, value) => {
        const into = growing(map);
        return into instanceof Failure ? into : into.with(key as Value, value as Value);
      }),
      globalForm('@mapInsert_map_map', [MAP, MAP], MAP, (map, more) => {
        const into = growing(map);
        if (into instanceof Failure) return into;
        return more instanceof Dictionary ? withAll(into, more) : noSuchOverload();
      }),
    ],
  },
];
