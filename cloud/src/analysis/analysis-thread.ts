/** Answers one task after the other, without end; see `analyzer.ts`. */
import { parentPort } from 'node:worker_threads';
import { ProblemError } from '@authz-service/core/problem';
import { answerOf, type Base } from './analysis-answers.js';
import type { AnalysisTask, Differing, WorkerRequest, WorkerResponse } from './analysis-tasks.js';

let base: Base | undefined;
let differing: Differing[] = [];

parentPort?.on('message', (request: WorkerRequest) => {
  if ('base' in request) {
    base = { ...request.base, records: [] };
    differing = [];
  } else if ('records' in request) base?.records.push(...request.records);
  else if ('differing' in request) differing.push(request.differing);
  else parentPort?.postMessage(respond(request.task));
});

function respond(task: AnalysisTask): WorkerResponse {
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
