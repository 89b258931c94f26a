const SCAN_MAX = 6;

/** The actions that a policy covers. Equal sets are one object, since most policies share a few. */
export class ActionSet {
  readonly all: boolean;
  readonly #set: ReadonlySet<string> | null;

  constructor(readonly names: readonly string[]) {
    this.all = names.includes('*');
    this.#set = names.length > SCAN_MAX ? new Set(names) : null;
  }

  covers(action: string): boolean {
    if (this.all) return true;
    if (this.#set !== null) return this.#set.has(action);
    const { names } = this;
    for (let at = 0; at < names.length; at++) if (names[at] === action) return true;
    return false;
  }
}
