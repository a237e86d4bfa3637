import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AdmissionProgram, admissionProgramSteps } from '@orch/expressions';

/** Compiles as `admissionProgram` does; others have turns between the steps, each of which may be long. */
export async function programInTurns(...about: Parameters<typeof admissionProgramSteps>): Promise<AdmissionProgram> {
  const steps = admissionProgramSteps(...about);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await nextTurn();
  return step.value;
}
