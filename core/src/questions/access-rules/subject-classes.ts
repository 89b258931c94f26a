import { remembered } from '../../collections/remembered.js';
import type { JsonObject } from '../../json/json.js';
import { RULE_FORMS } from '../../records/access-rule.js';
import type { Path } from '../../records/address.js';
import { EVERYONE } from '../../records/everyone.js';
import type { AccessSide, SubjectUnit } from './access-side.js';
import type { RuleRecord } from './rule-claim.js';
import type { RuleInputs } from './rule-inputs.js';
import type { Holding, SharedClosure, SubjectHoldings } from './subject-closure.js';

/** All that a subject acts as in both states. */
export interface Closures {
  readonly before: SubjectHoldings;
  readonly after: SubjectHoldings;
}

/** Who is the same to a rule: with this `key` everywhere, and with `anywhere` where roles on these places do not count. */
export interface JudgedClass {
  readonly key: string;
  readonly anywhere: string;
  readonly places: ReadonlySet<Path>;
}

/** The principals of a subject that matter. The numbers are the same for what makes no difference. */
interface Acting {
  readonly number: number;
  /** Without the roles on places. */
  readonly anywhere: number;
  readonly places: ReadonlySet<Path>;
}

/** Tells subjects apart by what a rule and the conditions in question can tell apart. */
export class JudgedClasses {
  readonly #acting = new Map<SharedClosure, Acting>();
  readonly #numbers = new Map<string, number>();

  constructor(
    private readonly rule: RuleRecord,
    private readonly grounds: RuleInputs,
    private readonly sides: { readonly before: AccessSide; readonly after: AccessSide },
  ) {}

  of(subject: SubjectUnit, { before, after }: Closures): JudgedClass {
    const { principals, readsIds, reads } = this.grounds;
    const { path, type } = subject;
    const [old, now] = [this.#actingAs(before.shared), this.#actingAs(after.shared)];
    const facts = reads?.size === 0 ? '' : this.#facts(subject);
    const itself = after.self !== undefined && principals.has(after.self);
    const id = itself || readsIds || namesSubjects(this.rule) ? path : path === undefined;
    const rest = `${type}\n${id}\n${activityText(before)} ${activityText(after)}\n${facts}`;
    return {
      key: `${old.number} ${now.number} ${rest}`,
      anywhere: `${old.anywhere} ${now.anywhere} ${rest}`,
      places: old.places === now.places ? now.places : new Set([...old.places, ...now.places]),
    };
  }

  #facts(subject: SubjectUnit): string {
    const [old, now] = [this.sides.before.propertiesOf(subject), this.sides.after.propertiesOf(subject)];
    const { reads } = this.grounds;
    return old === now ? picked(now, reads) : `${picked(old, reads)}\n${picked(now, reads)}`;
  }

  #actingAs(shared: SharedClosure): Acting {
    return remembered(this.#acting, shared, () => {
      const { asks, principals } = this.grounds;
      const lines: string[] = [];
      const anywhere: string[] = [];
      const places = new Set<Path>();
      for (const [principal, holdings] of shared) {
        if (!asks && !principals.has(principal) && !principal.startsWith(`${EVERYONE}/`)) continue;
        lines.push([principal, ...holdings.map(periodText)].join(' '));
        const placeless = holdings.filter(({ place }) => place === undefined);
        if (placeless.length > 0) anywhere.push([principal, ...placeless.map(periodText)].join(' '));
        for (const { place } of holdings) if (place !== undefined) places.add(place);
      }
      return { number: this.#numberOf(lines), anywhere: this.#numberOf(anywhere), places };
    });
  }

  #numberOf(words: string[]): number {
    return remembered(this.#numbers, words.sort().join('\n'), () => this.#numbers.size);
  }
}

function activityText({ activity: { start, end } }: SubjectHoldings): string {
  return `${start}~${end}`;
}

function periodText({ period: { start, end }, place = '' }: Holding): string {
  return `${start}~${end}@${place}`;
}

/** The properties that matter, in words. */
function picked(properties: JsonObject | undefined, names: RuleInputs['reads']): string {
  if (properties === undefined) return '';
  let text = 'recorded';
  for (const name of names ?? Object.keys(properties).sort())
    text += Object.hasOwn(properties, name) ? `\n${name}=${JSON.stringify(properties[name])}` : `\n${name}`;
  return text;
}

/** Whether a rule tells subjects apart by name. */
function namesSubjects({ fields }: RuleRecord): boolean {
  return RULE_FORMS.some((form) => fields[form]?.subjects?.named !== undefined);
}
