import type { ManifestResult } from '@authz-service/core/manifest/manifest';
import { relativePath } from '../../tree/relative-path.js';

/** The records of a Terraform plan or state, as if they had been read from files. */
export interface ShownRecords {
  records: ManifestResult;
  /** Gaps in the knowledge of the records, in sentences. */
  gaps: readonly string[];
  /** The place of records whose block is in no file beside the plan: the plan itself, which has no lines. */
  lineless: string;
}

/** The records after the apply, each at the line where its resource begins. */
export async function shownRecords(file: string): Promise<ShownRecords> {
  const [{ readFile }, { terraformSource }] = await Promise.all([
    import('node:fs/promises'),
    import('./terraform-plan.js'),
  ]);
  const { after } = await terraformSource(file, await readFile(file, 'utf8'));
  const placeOf: ManifestResult['placeOf'] = (address) => {
    const found = after.placeOf?.(address);
    return found && { file: found.file, line: found.line, column: 1 };
  };
  const linesOf: ManifestResult['linesOf'] = (address) => {
    const found = placeOf(address);
    return found && { file: found.file, first: found.line, last: found.line };
  };
  const records: ManifestResult = {
    faults: [],
    warnings: [],
    needsEnvironment: false,
    fromRequests: true,
    manifest: { version: 1, stack: '', records: [...after.records], moves: [], external: [] },
    placeOf,
    environmentPlaceOf: () => undefined,
    linesOf,
  };
  return { records, gaps: after.gaps, lineless: relativePath(file) };
}
