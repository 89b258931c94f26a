import { readFile } from 'node:fs/promises';
import type { SavedPlan } from '@authz-service/core/plan/saved';
import { ProblemError } from '@authz-service/core/problem';
import { writeText } from '../output/write-text.js';
import { relativePath } from '../tree/relative-path.js';

/** Saves a plan for `servicectl apply FILE`: the data itself, not its rendering. */
export async function writePlan(path: string, { plan, origins }: SavedPlan): Promise<void> {
  await writeText(path, `${JSON.stringify({ ...plan, ...(origins && { origins }) }, undefined, 2)}\n`);
}

/** Reads a saved plan. Throws `invalid_request`, naming the file, if it is not a plan or was changed by hand. */
export async function readPlan(path: string): Promise<SavedPlan> {
  const [text, { parsePlan }] = await Promise.all([readFile(path, 'utf8'), import('@authz-service/core/plan/saved')]);
  try {
    return parsePlan(text);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError(error.code, `${relativePath(path)}: ${error.detail}`, error.errors, { cause: error });
  }
}
