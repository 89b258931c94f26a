import type { DecisionList } from '../../conditions/residual/residuals.js';
import { splitAddress } from '../../records/address.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { includedIn } from '../graph/included-roles.js';
import type { Principal } from '../graph/principal.js';
import { closureOf } from '../universe/closure.js';
import type { PrincipalIds } from '../universe/principal-ids.js';
import type { ResourceUnit } from '../universe/resource-places.js';
import { Member, type SubjectClass } from '../universe/subject-classes.js';
import type { Answers } from './answers.js';
import { Columns, type ColumnTables } from './columns.js';
import { reached } from './compare-columns.js';
import { GrantedRules } from './granted-rules.js';

/** One subject of a class, a resource and an action, at an instant. */
export interface ListedAt {
  readonly one: SubjectClass;
  readonly member: Member;
  readonly unit: ResourceUnit;
  readonly action: string;
  readonly at: number;
  /** Whether subject and resource are left open, since there are too many of them. */
  readonly open: boolean;
}

/** The answer of whatever state the engine is in, as lists that can be compared with those of a whole delta. */
export class PresentLists {
  constructor(
    private readonly engine: CompiledEngine,
    private readonly tables: ColumnTables,
    private readonly principals: PrincipalIds,
    private readonly answers: Answers,
    private readonly idOf: (unit: ResourceUnit) => string | undefined,
  ) {}

  of({ one, member, unit, action, at, open }: ListedAt): DecisionList {
    const { engine, tables, principals } = this;
    const subject = member.id !== '' ? engine.subjects.get(member.type)?.get(member.id) : undefined;
    const role = one.role === undefined ? undefined : engine.roles.get(splitAddress(one.role).path);
    const named = role === undefined || engine.unnamed.has(role) ? [] : [role, ...includedIn(role, engine.unnamed)];
    const closure = closureOf(subject, engine.everyone.memberOf(one.type), named, tables.now, principals);
    const acting = closure.ids.flatMap((id) => this.#principal(id, subject) ?? []);
    const columns = new Columns(engine, GrantedRules.ofPrincipals(acting), tables, this.idOf);
    const [column] = columns.of(unit, [action]);
    const candidates = column === undefined ? [] : reached(closure, column);
    const properties = subject === undefined ? undefined : (subject.properties ?? {});
    const present = { ...one, before: closure, after: closure };
    const asking = { member: new Member(member.type, member.id, properties, properties), sent: true, open };
    return this.answers.listAt(this.answers.question(present, candidates, candidates), asking, at);
  }

  #principal(id: number, subject: Principal | undefined): Principal | undefined {
    const { address, kind, name } = this.principals.at(id);
    const { engine } = this;
    if (kind === 'group') return engine.groups.get(name);
    if (kind === 'role') return engine.roles.get(name);
    if (kind === 'subject') return subject;
    return [...engine.everyone.principals()].find((one) => one.address === address);
  }
}
