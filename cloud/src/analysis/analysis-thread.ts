/** Answers one task after the other, without end; see `analyzer.ts`. */
import { parentPort } from 'node:worker_threads';
import { ProblemError } from '@authz-service/core/problem';
import { answerOf, type Base } from './analysis-answers.js';
import type { AnalysisSaid, AnalysisTask, AnalysisTold, Differing } from './analysis-tasks.js';

let base: Base | undefined;
let differing: Differing[] = [];

parentPort?.on('message', (told: AnalysisTold) => {
  if ('base' in told) {
    base = { ...told.base, records: [] };
    differing = [];
  } else if ('records' in told) base?.records.push(...told.records);
  else if ('differing' in told) differing.push(told.differing);
  else parentPort?.postMessage(said(told.task));
});

function said(task: AnalysisTask): AnalysisSaid {
  const parts = differing;
  differing = [];
  if (base === undefined) throw new Error('a task came before its base');
  try {
    return { found: answerOf(task, base, parts) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail, errors } = error;
    return { fault: { code, detail, errors } };
  }
}
