import { parentPort } from 'node:worker_threads';
import { TooManyValuesError } from '@orch/codec';
import { convertYaml, type YamlAnswer, type YamlQuestion } from './convert-yaml.js';

/** Thread of a {@link YamlReader}: answers each question in turn. */
parentPort?.on('message', ({ id, text, limits }: YamlQuestion) => {
  parentPort?.postMessage(answer(id, text, limits));
});

function answer(id: number, text: string, limits: YamlQuestion['limits']): YamlAnswer {
  try {
    return { id, converted: convertYaml(text, limits) };
  } catch (error) {
    if (error instanceof TooManyValuesError) return { id, tooManyValues: error.limit };
    return { id, message: error instanceof Error ? error.message : 'unreadable' };
  }
}
