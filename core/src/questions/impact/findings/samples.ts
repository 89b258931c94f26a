import type { Block } from '../../../access/delta/compare-columns.js';
import type { PrincipalIds } from '../../../access/universe/principal-ids.js';
import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import type { Member } from '../../../access/universe/subject-classes.js';
import type { DraftFinding } from './findings.js';
import type { Sample } from './rectangles.js';

/** The most samples of one finding. */
const SAMPLES_MAX = 32;
/** The most samples that are looked at for their subjects. */
const SUBJECTS_MAX = 12;

/**
 * Samples of findings, which may each come from changes of its own: subjects of each principal that a finding names and of
 * each type without a record, and of those that changes reach by other principals or by name; one sample for each action,
 * and one for each resource. The finding's own sample comes first.
 */
export class Samples {
  /** The principals that changes are about, or give something to. */
  readonly #changed = new Set<string>();
  readonly #members = new Map<Block, readonly Member[]>();

  constructor(
    private readonly principals: PrincipalIds,
    changes: readonly ChangedRecord[],
  ) {
    for (const { address, before, after } of changes) {
      this.#changed.add(address);
      const { entity_type, entity } = ((after ?? before)?.fields ?? {}) as { entity_type?: string; entity?: string };
      if (entity_type !== undefined && entity !== undefined)
        this.#changed.add(entity_type === 'everyone' && entity === '*' ? entity_type : `${entity_type}/${entity}`);
    }
  }

  of({ finding, rectangle }: DraftFinding): readonly Sample[] {
    const { sample } = rectangle;
    const found: Sample[] = [sample];
    const named = finding.subjects.principals.map(({ principal }) => principal);
    const told = new Set<string>();
    const tell = (one: Sample) =>
      told.add(`action ${one.cell.action}`).add(`unit ${one.cell.unit.key}`).add(this.#wayOf(one, named));
    tell(sample);
    const seen = new Set<Block>();
    for (const { cell, places } of rectangle.corners())
      for (const { block, span } of places) {
        if (found.length >= SUBJECTS_MAX || seen.has(block)) continue;
        seen.add(block);
        for (const member of this.#membersOf(block)) {
          const one = { block, member, cell, span };
          if (found.length >= SUBJECTS_MAX || told.has(this.#wayOf(one, named))) continue;
          found.push(one);
          tell(one);
        }
      }
    for (const { cell, places } of rectangle.corners()) {
      const [place] = places;
      if (found.length >= SAMPLES_MAX) break;
      if (place === undefined || (told.has(`action ${cell.action}`) && told.has(`unit ${cell.unit.key}`))) continue;
      const { block, span } = place;
      const one = { block, member: block.first, cell, span };
      found.push(one);
      tell(one);
    }
    return found;
  }

  /** The subjects of a block that changes name, or any. */
  #membersOf(block: Block): readonly Member[] {
    let members = this.#members.get(block);
    if (members === undefined) {
      const { one } = block;
      const own =
        one.kind === 'unrecorded' ? [] : block.members.filter(({ path }) => this.#changed.has(`subject/${path}`));
      members = own.length === 0 ? [block.first] : own.slice(0, SUBJECTS_MAX);
      this.#members.set(block, members);
    }
    return members;
  }

  /** How a subject comes to what a finding says: by the first principal named that it acts as, and by what changes are about. */
  #wayOf({ block: { one }, member }: Sample, named: readonly string[]): string {
    if (member.id === '') return `unrecorded ${one.type}`;
    const own = `subject/${member.path}`;
    const acting = new Set([...one.after.ids, ...one.before.ids].map((id) => this.principals.at(id).address)).add(own);
    // Of several principals the first has a subject: those that are named after it are named for others.
    const by = named.find((name) => acting.has(name));
    return `${by} ${[...acting].filter((address) => this.#changed.has(address)).sort()}`;
  }
}
