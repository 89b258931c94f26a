import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TenantSide } from '@authz-service/core/access/universe/side';
import type { ShownState } from '@authz-service/provider/terraform/shown/read-shown';
import { relativePath } from '../../tree/relative-path.js';
import type { Source, SourcePair } from './source.js';

/** The first line of a resource's block, wherever it is written by hand. */
const RESOURCE = /^[ \t]*resource[ \t]+"([^"]+)"[ \t]+"([^"]+)"/gm;

/**
 * The two states that `terraform show -json` says of a saved plan: what Terraform found, and what it will make. What is
 * known only after the apply is a gap. Throws `invalid_request` and `invalid_records`.
 */
export async function terraformSource(file: string, text: string): Promise<SourcePair> {
  const { readShown } = await import('@authz-service/provider/terraform/shown/read-shown');
  const { before, after, gaps } = readShown(text, file);
  const lines = await blocksIn(dirname(file));
  const source = (label: string, state: ShownState, open: readonly string[]): Source => ({
    label,
    records: state.records,
    placeOf: placesOf(state, lines, file),
    stacks: new Set([...before.stacks, ...after.stacks]),
    notes: [],
    gaps: open,
  });
  if (before === after) {
    const state = source(file, after, []);
    return { before: state, after: state, differ: false };
  }
  return {
    before: source(`${file} before`, before, []),
    after: source(`${file} after`, after, gaps),
    differ: true,
  };
}

/** The lines at which the Terraform files of a folder begin resources of its root module. */
async function blocksIn(folder: string): Promise<Map<string, { file: string; line: number }>> {
  const found = new Map<string, { file: string; line: number }>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.tf')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    for (const { 1: type, 2: resource, index } of text.matchAll(RESOURCE)) {
      const line = text.slice(0, index).split('\n').length;
      found.set(`${type}.${resource}`, { file: relativePath(join(folder, name)), line });
    }
  }
  return found;
}

/** A plan does not say where a resource is written: the file beside it does, or else the plan itself stands for it. */
function placesOf(
  { resourceOf }: ShownState,
  blocks: ReadonlyMap<string, { file: string; line: number }>,
  file: string,
): TenantSide['placeOf'] {
  return (address) => {
    const resource = resourceOf.get(address);
    if (resource === undefined) return undefined;
    return blocks.get(resource.replace(/\[.*$/s, '')) ?? { file: relativePath(file), line: 1 };
  };
}
