/** Decodes and compiles one bundle of the wanted size as the agent does, in a process of its own; prints figures as JSON. */

import { EngineBuilder } from '@authz-service/core/access/engine/engine-builder';
import { digestRecords } from '@authz-service/core/bundle/digest';
import { decodeBundleInSteps } from '@authz-service/core/bundle/read';
import { encodeBundle } from '@authz-service/core/bundle/write';
import { revisionText } from '@authz-service/core/state/revision';
import { engineTenant, questions, type Size } from './tenant.js';

export interface ActivationFigures {
  records: number;
  seconds: number;
  /** Resident bytes a record, over the process before. */
  perRecord: number;
}

const size: Size = { subjects: 150_000, resources: 150_000, roles: 10_000, policies: 190_000, types: 1000 };

function collect(): number {
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc?.();
  return process.memoryUsage().rss;
}

function bundle(): Buffer {
  const records = [...engineTenant(size)];
  const digest = digestRecords(records);
  const tenant = { id: 'bench', name: 'bench', revision: revisionText(1, digest), digest, records };
  return encodeBundle({ revision: tenant.revision, tenants: [tenant] });
}

const bytes = bundle();
const before = collect();
const begun = performance.now();
let records = 0;
const steps = decodeBundleInSteps(bytes, () => {
  const builder = new EngineBuilder();
  return {
    add(record) {
      builder.add(record);
      records += 1;
    },
    finish: () => builder.finish(),
  };
});
let step = steps.next();
while (!step.done) step = steps.next();
const [{ made: engine } = { made: undefined }] = step.value.tenants;
if (engine === undefined) throw new Error('the bundle has no tenant');
const seconds = (performance.now() - begun) / 1000;
const allowed = questions(size, 10).filter((question) => engine.decide(question, Date.now()).decision).length;
const figures: ActivationFigures = { records, seconds, perRecord: (collect() - before) / records };
process.stdout.write(`${JSON.stringify({ ...figures, allowed })}\n`);
