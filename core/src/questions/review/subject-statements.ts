import type { AlikeSubjects } from '../impact/api/impact.js';

/** A subject, the same object wherever it is told of. */
export interface StatedMember {
  readonly path: string;
}

/** Something that is said. */
export interface Indexed {
  /** Names it. */
  readonly index: number;
}

/** A statement about subjects that act alike. */
interface OfAlike<S> {
  /** All of them; empty while something was only said of some. */
  members: readonly StatedMember[];
  readonly all: S[];
  readonly some: { readonly members: readonly StatedMember[]; readonly said: readonly S[] }[];
}

/** Subjects of whom the same is said. */
export interface SaidTogether<S> {
  readonly members: readonly StatedMember[];
  /** In the order of their indices. */
  readonly statements: readonly S[];
}

/**
 * Statements by subject: mostly the same of those who act alike, so that they are looked at one by one only where they
 * differ.
 */
export class SubjectStatements<S extends Indexed> {
  readonly #alike = new Map<number, OfAlike<S>>();

  add({ alike, of, members }: AlikeSubjects, said: readonly S[]): void {
    const known = this.#alike.get(alike) ?? { members: [], all: [], some: [] };
    this.#alike.set(alike, known);
    if (members.length < of) {
      known.some.push({ members, said });
      return;
    }
    known.members = members;
    known.all.push(...said);
  }

  /** All who something was said of, each once. */
  *apart(): Generator<SaidTogether<S>, void> {
    for (const { members, all, some } of this.#alike.values()) {
      if (some.length === 0) {
        yield { members, statements: inOrder(all) };
        continue;
      }
      const byMember = new Map<StatedMember, S[]>(members.map((member) => [member, [...all]]));
      for (const { members: told, said } of some)
        for (const member of told) {
          const known = byMember.get(member);
          if (known === undefined) byMember.set(member, [...all, ...said]);
          else known.push(...said);
        }
      const together = new Map<string, { members: StatedMember[]; statements: readonly S[] }>();
      for (const [member, said] of byMember) {
        const statements = inOrder(said);
        const key = statements.map(({ index }) => index).join();
        const known = together.get(key);
        if (known === undefined) together.set(key, { members: [member], statements });
        else known.members.push(member);
      }
      yield* together.values();
    }
  }
}

function inOrder<S extends Indexed>(said: readonly S[]): readonly S[] {
  return [...new Set(said)].sort((left, right) => left.index - right.index);
}
