import { jsonPointer } from '../json/json-pointer.js';
import type { Path } from '../records/address.js';
import type { RecordFinding, RecordView } from './change.js';

/** A longer circle is named by its start and its end. */
const NAMED_MAX = 20;

interface Step {
  role: Path;
  /** The roles that it includes and that are still to be followed. */
  rest: { included: Path; index: number }[];
}

/** The circles of roles that include each other, below these roles, each named once and whole. */
export function findIncludeCircles(view: RecordView, roles: readonly Path[]): RecordFinding[] {
  const findings: RecordFinding[] = [];
  const done = new Set<Path>();
  for (const start of roles) {
    if (done.has(start)) continue;
    const way: Step[] = [stepAt(view, start)];
    const onWay = new Map([[start, 0]]);
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const next = step.rest.pop();
      if (next === undefined) {
        way.pop();
        onWay.delete(step.role);
        done.add(step.role);
        continue;
      }
      const { included, index } = next;
      if (done.has(included)) continue;
      const place = onWay.get(included);
      if (place === undefined) {
        onWay.set(included, way.length);
        way.push(stepAt(view, included));
      } else {
        const detail = `Roles include each other in a circle: ${circleText(way.slice(place))}. Take one of these inclusions out.`;
        const pointer = jsonPointer('includes', index);
        findings.push({ severity: 'error', address: `role/${step.role}`, pointer, detail });
      }
    }
  }
  return findings;
}

function stepAt(view: RecordView, role: Path): Step {
  const record = view.get(`role/${role}`);
  const includes = record?.kind === 'role' ? (record.fields.includes ?? []) : [];
  return { role, rest: includes.map((included, index) => ({ included, index })) };
}

function circleText(steps: readonly Step[]): string {
  const names = steps.map(({ role }) => role);
  const half = NAMED_MAX / 2;
  const more = names.length - NAMED_MAX;
  const shown = more > 0 ? [...names.slice(0, half), `… (${more} more) …`, ...names.slice(-half)] : names;
  return [...shown, names[0]].join(' → ');
}
