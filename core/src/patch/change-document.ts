import * as z from 'zod';
import { parseJson } from '../json/parse-json.js';
import type { ManifestFile } from '../manifest/manifest.js';
import { readManifest } from '../manifest/read.js';
import { ProblemError, type ProblemItem } from '../problem.js';
import type { ProposedChange } from '../questions/why-not/proposal.js';
import type { Address } from '../records/address.js';
import { type Fault, issueFaults } from '../records/issue-faults.js';
import { KINDS, type Kind } from '../records/kinds.js';
import { addressOf, type DeclaredRecord, referencesOf, type StoredRecord } from '../records/registry.js';
import { equalJson } from '../state/equal-json.js';
import { parseFields } from '../state/parse-fields.js';
import type { Move } from '../state/renames.js';
import { revisionNumber } from '../state/revision.js';
import { type PatchedTree, patchTree } from './patch-tree.js';
import { type RenamedRecord, renamedRecords } from './rename-records.js';

const fields = z.record(z.string(), z.json());
const address = z.string().min(1);

/** Changes for one stack and revision, as the console hands them out to take to Git, and as a draft's plan takes them. */
const documentSchema = z.strictObject({
  base_revision: z.string().min(1),
  stack: z.string().min(1),
  changes: z
    .array(
      z.discriminatedUnion('op', [
        z.strictObject({ op: z.literal('create'), kind: z.enum(KINDS), fields }),
        z.strictObject({ op: z.literal('update'), address, fields }),
        z.strictObject({ op: z.literal('delete'), address }),
        z.strictObject({ op: z.literal('move'), from: address, to: address }),
        z.strictObject({ op: z.literal('adopt'), address }),
      ]),
    )
    .min(1),
});

export type ChangeDocument = z.output<typeof documentSchema>;

/** Reads a change document. Throws `invalid_request` with every fault and its place. */
export function readChangeDocument(text: string): ChangeDocument {
  let value: unknown;
  try {
    value = parseJson(text, 'It');
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const detail = `${error.detail} Take the change document as the console hands it out.`;
    throw new ProblemError('invalid_request', detail, error.errors);
  }
  const result = documentSchema.safeParse(value);
  if (result.success) {
    revisionNumber(result.data.base_revision);
    return result.data;
  }
  throw invalid(issueFaults(documentSchema, result.error.issues, value));
}

/** The records that a change document was made for. */
export interface BaseState {
  tenant: string;
  revision: string;
  records: readonly StoredRecord[];
}

/**
 * Writes the changes of a document into the files of a valid tree. Throws `conflict` where the tree or the tenant is not
 * the one that it was made for, where the records have changed since, or where it cannot be written into the files, and
 * `invalid_records` for fields that no record has.
 */
export function patchDocument(
  files: readonly ManifestFile[],
  document: ChangeDocument,
  base: BaseState,
  now: number,
): PatchedTree {
  const { manifest, placeOf } = readManifest(files, { now });
  if (manifest === undefined) throw new Error('the tree is not valid');
  if (manifest.stack !== document.stack)
    throw refused(
      `it is for the stack "${document.stack}", and this tree declares "${manifest.stack}": name the folder of "${document.stack}".`,
    );
  if (manifest.tenant !== undefined && manifest.tenant !== base.tenant)
    throw refused(
      `the tree is for the tenant "${manifest.tenant}", and the credential for "${base.tenant}": use one of "${manifest.tenant}".`,
    );
  demandRevision(document, base);
  const declared = new Map(manifest.records.map((record) => [record.address, record]));
  const stored = new Map(base.records.map((record) => [record.address, record]));
  const whereIs = (record: Address) => {
    const place = placeOf(record);
    return place === undefined ? '' : ` at ${place.file}:${place.line}`;
  };

  const demandSame = (pointer: string, at: Address): DeclaredRecord => {
    const mine = declared.get(at);
    const theirs = stored.get(at);
    if (mine === undefined) {
      const owner = theirs === undefined ? '' : ` It belongs to the stack "${theirs.managed_by}".`;
      const detail = `${at} is not declared in this tree.${owner} Name the folder that declares it, or update your checkout.`;
      throw refused(detail, [{ pointer, address: at, detail }]);
    }
    if (theirs === undefined || theirs.revision > revisionNumber(document.base_revision)) {
      const what = theirs === undefined ? 'is not in the tenant' : `was changed in revision ${theirs.revision}`;
      const detail = `${at} ${what}, and the change was made for ${document.base_revision}: make the change again in the console.`;
      throw refused(detail, [{ pointer, address: at, detail }]);
    }
    if (!equalJson(mine.fields, theirs.fields)) {
      const detail = `${at}${whereIs(at)} says something else than the tenant does: apply the tree, or update your checkout.`;
      throw refused(detail, [{ pointer, address: at, detail }]);
    }
    return mine;
  };
  const demandNew = (pointer: string, at: Address) => {
    const where = declared.has(at) ? `declared${whereIs(at)}` : stored.has(at) ? 'in the tenant' : undefined;
    if (where === undefined) return;
    const detail = `${at} is to be created and is ${where} already: make the change again in the console.`;
    throw refused(detail, [{ pointer, address: at, detail }]);
  };

  const moves: (Move & { pointer: string })[] = [];
  const changes = document.changes.flatMap((change, index): ProposedChange[] => {
    const pointer = `/changes/${index}`;
    switch (change.op) {
      case 'create': {
        const after = recordOf(change.kind, change.fields, pointer);
        demandNew(pointer, after.address);
        return [{ after }];
      }
      case 'update': {
        const before = demandSame(pointer, change.address);
        const after = recordOf(before.kind, change.fields, pointer);
        if (after.address === before.address) return [{ before, after }];
        const detail = `the fields are those of ${after.address}, not of ${before.address}: rename it by a change of its own, with the op "move".`;
        throw refused(detail, [{ pointer, address: before.address, detail }]);
      }
      case 'delete':
        return [{ before: demandSame(pointer, change.address) }];
      case 'move':
        demandSame(pointer, change.from);
        demandNew(pointer, change.to);
        moves.push({ from: change.from, to: change.to, pointer });
        return [];
      default: {
        const detail = `${change.address} is to be taken over: declare it in the files, and apply them with --take-ownership.`;
        throw refused(detail, [{ pointer, address: change.address, detail }]);
      }
    }
  });
  const renamed = renamedRecords(declared, moves, ({ pointer }, detail, at) => {
    throw refused(detail, [{ pointer, address: at, detail }]);
  });
  demandOwn(renamed, stored, manifest.stack);
  demandOnce([...changes, ...renamed]);
  const external = externalOf(changes, declared, manifest.external, stored);
  return patchTree(files, { changes, renamed, external }, now);
}

/** Refuses a rename if records declared elsewhere mention the old name, which they would keep. */
function demandOwn(renamed: readonly RenamedRecord[], stored: ReadonlyMap<Address, StoredRecord>, stack: string): void {
  const from = new Set(renamed.flatMap(({ before, explicit }) => (explicit ? before.address : [])));
  if (from.size === 0) return;
  for (const { kind, address: at, fields, managed_by } of stored.values()) {
    const target = managed_by === stack ? undefined : referencesOf(kind, fields).find((one) => from.has(one.target));
    if (target === undefined) continue;
    const detail = `${at} of the stack "${managed_by}" mentions ${target.target}, and would still do so in its own files: rename it there at the same time, by hand.`;
    throw refused(detail, [{ pointer: '/changes', address: at, detail }]);
  }
}

/** The document must not be of a revision that the tenant does not have. */
function demandRevision({ base_revision: made }: ChangeDocument, { tenant, revision }: BaseState): void {
  const [wanted, present] = [revisionNumber(made), revisionNumber(revision)];
  if (wanted < present || made === revision) return;
  throw refused(
    `it was made for revision ${made}, which the tenant "${tenant}" at ${revision} does not have: use a credential of the tenant that it was made for.`,
  );
}

function recordOf(kind: Kind, given: Record<string, unknown>, pointer: string): DeclaredRecord {
  const { fields: parsed, faults } = parseFields(kind, given);
  if (faults !== undefined)
    throw invalid(faults.map((fault) => ({ ...fault, pointer: `${pointer}/fields${fault.pointer}` })));
  return { kind, address: addressOf(kind, parsed as Record<string, unknown>), fields: parsed } as DeclaredRecord;
}

function demandOnce(changes: readonly ProposedChange[]): void {
  const seen = new Set<Address>();
  for (const { before, after } of changes)
    for (const address of new Set([before?.address, after?.address])) {
      if (address === undefined) continue;
      const detail = `${address} is changed twice, by a rename of what it mentions perhaps: keep one of the changes.`;
      if (seen.has(address)) throw refused(detail, [{ pointer: '/changes', address, detail }]);
      seen.add(address);
    }
}

/** Returns what the changes mention of other stacks and the tree does not list. */
function externalOf(
  changes: readonly ProposedChange[],
  declared: ReadonlyMap<Address, DeclaredRecord>,
  listed: readonly Address[],
  stored: ReadonlyMap<Address, StoredRecord>,
): Address[] {
  const made = changes.flatMap(({ after }) => after ?? []);
  const known = new Set([...declared.keys(), ...listed, ...made.map(({ address }) => address)]);
  const targets = made.flatMap(({ kind, fields }) => referencesOf(kind, fields).map(({ target }) => target));
  return [...new Set(targets)].filter((target) => !known.has(target) && stored.has(target)).sort();
}

function refused(why: string, items: ProblemItem[] = []): ProblemError {
  return new ProblemError('conflict', `The change document does not fit: ${why} Nothing was written.`, items);
}

function invalid(faults: readonly Fault[]): ProblemError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const place = first?.pointer || 'all of it';
  return new ProblemError('invalid_request', `It is no change document: ${place} ${first?.detail ?? ''}${more}`, [
    ...faults,
  ]);
}
