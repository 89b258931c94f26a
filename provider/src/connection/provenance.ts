import { readFileSync } from 'node:fs';
import { pipelineProvenance } from '@authz-service/core/origin/pipeline-provenance';
import type { Provenance } from '@authz-service/core/origin/provenance';

/** Who stands behind what is applied, as far as the environment and the event of the pipeline say. Never throws. */
export function provenanceOf(env: NodeJS.ProcessEnv): Provenance {
  return pipelineProvenance(env, eventOf(env.GITHUB_EVENT_PATH));
}

function eventOf(path: string | undefined): unknown {
  if (path === undefined || path === '') return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // An event that cannot be read says nothing.
    return undefined;
  }
}
