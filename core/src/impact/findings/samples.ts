import type { PrincipalIds } from '../universe/principal-ids.js';
import type { DraftFinding } from './findings.js';
import type { Sample } from './rectangles.js';

/** So many samples of one finding are looked at. */
const SAMPLES_MAX = 32;

/**
 * Samples of a finding, which may each come from changes of its own: one subject of each principal that it names and of each
 * type without a record, one sample for each action, and one for each resource. The finding's own sample comes first.
 */
export function samplesOf({ finding, rectangle }: DraftFinding, principals: PrincipalIds): readonly Sample[] {
  const { sample, corners } = rectangle;
  const { subjects } = finding;
  const found: Sample[] = [sample];
  const told = new Set<string>();
  const named = [...subjects.principals.map(({ principal }) => principal), ...subjects.unrecorded.map(unrecorded)];
  const wanted = new Set(named);
  /** Of several principals the first has a subject: those that are named after it are named for others. */
  const nameOf = ({ block: { one, first } }: Sample): string | undefined => {
    if (one.kind !== 'recorded') return unrecorded(one.type);
    const acting = new Set([...one.after.ids, ...one.before.ids].map((id) => principals.at(id).address));
    return named.find((name) => acting.has(name) || name === `subject/${first.path}`);
  };
  const tell = (one: Sample) => {
    told.add(`action ${one.cell.action}`).add(`unit ${one.cell.unit.key}`);
    wanted.delete(nameOf(one) ?? '');
  };
  tell(sample);
  const full = () => found.length >= SAMPLES_MAX;
  const take = (one: Sample) => {
    found.push(one);
    tell(one);
  };
  for (const { cell, places } of corners)
    for (const { block, span } of places) {
      if (wanted.size === 0 || full()) break;
      const one = { block, cell, span };
      if (wanted.has(nameOf(one) ?? '')) take(one);
    }
  for (const { cell, places } of corners) {
    const [place] = places;
    if (full()) break;
    if (place === undefined || (told.has(`action ${cell.action}`) && told.has(`unit ${cell.unit.key}`))) continue;
    take({ block: place.block, cell, span: place.span });
  }
  return found;
}

function unrecorded(type: string): string {
  return `unrecorded ${type}`;
}
