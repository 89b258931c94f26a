import type { ManifestResult } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';

/** The beginning of a pointer into a plan's changes; the rest leads into the record's fields. */
const CHANGE = /^\/changes\/\d+(?:\/fields)?/;

/** Adds to a refusal the places where the tree declares or mentions the records at fault. */
export async function placeRefusals<T>(planning: Promise<T>, placeOf: ManifestResult['placeOf']): Promise<T> {
  try {
    return await planning;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail, requestId } = error;
    const items = error.errors.map((item) => ({
      ...item,
      ...(item.address !== undefined && placeOf(item.address, item.pointer.replace(CHANGE, ''))),
    }));
    throw new ProblemError(code, detail, items, { cause: error, ...(requestId !== undefined && { requestId }) });
  }
}
