import type { ManifestFile, SourcePlace } from '../../manifest/manifest.js';

/** A comment that accepts what a rule finds: `# accept unused-role: the console will name it`. */
export interface Acceptance extends SourcePlace {
  rule: string;
  reason: string;
}

const COMMENT = /(?:^|\s)# accept ([a-z][a-z-]*):[ \t]*(.*)$/;

/**
 * The comments in YAML files that accept findings (docs/decisions/0026). One stands at the end of the line of a finding,
 * or on a line of its own directly above it.
 */
export class Acceptances {
  readonly #byLine = new Map<string, Acceptance[]>();
  readonly #used = new Set<Acceptance>();

  constructor(files: readonly ManifestFile[]) {
    for (const { path, text } of files) {
      if (!text.includes('# accept ')) continue;
      let above: Acceptance[] = [];
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        const [, rule, reason = ''] = COMMENT.exec(line) ?? [];
        if (rule !== undefined)
          above.push({
            file: path,
            line: index + 1,
            column: line.indexOf('# accept ') + 1,
            rule,
            reason: reason.trim(),
          });
        // Comments in a block stand above the line after them.
        if (/^\s*#/.test(line)) continue;
        if (above.length > 0) this.#byLine.set(keyOf(path, index + 1), above);
        above = [];
      }
    }
  }

  /** Why a finding of the rule at one of these places is accepted; undefined if it is not, or no reason is given. */
  reasonFor(rule: string, places: readonly Pick<SourcePlace, 'file' | 'line'>[]): string | undefined {
    for (const { file, line } of places) {
      const found = this.#byLine.get(keyOf(file, line))?.find((one) => one.rule === rule && one.reason !== '');
      if (found === undefined) continue;
      this.#used.add(found);
      return found.reason;
    }
    return undefined;
  }

  /** Those of these rules that have accepted nothing, in the order of the files. */
  unused(rules: readonly string[]): Acceptance[] {
    return [...this.#byLine.values()].flat().filter((one) => rules.includes(one.rule) && !this.#used.has(one));
  }

  /** Those of other rules than these. */
  unknown(rules: readonly string[]): Acceptance[] {
    return [...this.#byLine.values()].flat().filter((one) => !rules.includes(one.rule));
  }
}

function keyOf(file: string, line: number): string {
  return `${line}:${file}`;
}
