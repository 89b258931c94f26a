import { draftYaml, type WrittenChange } from '@authz-service/core/patch/draft-yaml';
import type { Plan } from '@authz-service/core/plan/plan';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import type { TenantState } from '@authz-service/core/state/tenant-state';

/** More would take long, and nobody copies them by hand: the change document has all. */
const CHANGES_MAX = 50;

/** Writes changes as Terraform configuration. */
export type WriteHcl = (changes: readonly WrittenChange[]) => Promise<string>;

/** The changes of a draft, as texts to copy. */
export interface DraftTexts {
  yaml: string;
  /** Absent where this cloud was started without what writes it. */
  hcl?: string;
}

/** The changed records of a plan as YAML and as HCL; undefined if there are none, or too many. */
export async function draftTexts(
  { changes }: Pick<Plan, 'changes'>,
  state: Pick<TenantState, 'get'>,
  writeHcl: WriteHcl | undefined,
): Promise<DraftTexts | undefined> {
  if (changes.length === 0 || changes.length > CHANGES_MAX) return undefined;
  const written = changes.flatMap((change) => writtenOf(change, state));
  const hcl = await writeHcl?.(written);
  return { yaml: draftYaml(written), ...(hcl !== undefined && { hcl }) };
}

function writtenOf(change: Plan['changes'][number], state: Pick<TenantState, 'get'>): WrittenChange[] {
  if (change.action === 'adopt') return [];
  const { kind, address } = change;
  const from = change.action === 'move' ? change.from : address;
  const before = change.action === 'create' ? undefined : state.get(from);
  if (change.action === 'delete') return before === undefined ? [] : [{ before }];
  const after = { kind, address, fields: change.fields } as unknown as DeclaredRecord;
  return [{ ...(before && { before }), after, ...(from !== address && { from }) }];
}
