import { renderAccessText } from '../questions/impact/report/render-access-text.js';
import type { Kind } from '../records/kinds.js';
import { countOf } from '../state/kind-words.js';
import { visible } from '../text/visible.js';
import { countsLine } from './counts-line.js';
import { type Description, describe, describeFollower } from './describe.js';
import { keptSuspensionText } from './kept-suspension-text.js';
import type { Plan } from './plan.js';

export interface RenderTextOptions {
  /** Paints a mark and its title for a terminal; without it they stay plain. */
  style?: (format: (typeof COLOURS)[Description['mark']] | 'bold' | 'dim', text: string) => string;
  /** Shows every change, however many. */
  all?: boolean;
  /** The address of the cloud that was asked. */
  cloud?: string;
}

/** Lines about changes beyond this become a summary by kind. */
const LINES_MAX = 200;
/** Links of other stacks beyond this are counted. */
const FOREIGN_LINKS_MAX = 50;

/** Suspensions that stay, beyond this, are counted. */
const KEPT_SUSPENSIONS_MAX = 20;

/** More records in refused forms are counted. */
const REFUSED_FORMS_MAX = 20;

const COLOURS = { '+': 'green', '~': 'yellow', '-': 'red', '>': 'cyan' } as const;

/** If there is not enough room, groups are omitted from the end; removals are omitted last. */
const PRIORITY = ['-', '>', '~', '+'] as const;

interface Block {
  mark: Description['mark'];
  kind: Kind;
  lines: string[];
}

/** A plan for people at a terminal. It ends with a line feed. */
export function renderText(plan: Plan, options: RenderTextOptions = {}): string {
  const at = options.cloud === undefined ? '' : ` at ${visible(options.cloud)}`;
  const place = `tenant "${visible(plan.tenant)}"${at}, stack "${visible(plan.stack)}", at revision ${visible(plan.base_revision)}`;
  const blocks = blocksOf(plan, options.style);
  const lines =
    blocks.length === 0 ? [`No changes: everything is as declared (${place}).`] : [`Changes to ${place}:`, ''];
  const shown = options.all === true ? new Set(blocks) : withinBound(blocks);
  for (const block of blocks) if (shown.has(block)) lines.push(...block.lines);
  if (shown.size < blocks.length) lines.push(...summary(blocks.filter((block) => !shown.has(block))));
  lines.push(...foreignLinks(plan.foreign_links, options.all), '', countsLine(plan.counts));
  lines.push(...keptSuspensions(plan.kept_suspensions, options.all));
  lines.push(...refusedForms(plan.refused_forms), ...brokenRules(plan.broken_rules));
  if (plan.access !== undefined) lines.push('', ...renderAccessText(plan.access, options));
  return `${lines.join('\n')}\n`;
}

/** Lists what other stacks grant of this stack's records, which the tree does not hold. */
function foreignLinks(links: Plan['foreign_links'] = [], all = false): string[] {
  if (links.length === 0) return [];
  const shown = all ? links : links.slice(0, FOREIGN_LINKS_MAX);
  const more = links.length - shown.length;
  return [
    '',
    "Other stacks grant what is this stack's (left alone; --exclusive removes it):",
    ...shown.map(({ address, managed_by }) => `  ! ${visible(address)}, which belongs to "${visible(managed_by)}"`),
    ...(more > 0 ? [`  … and ${more} more; --all shows every one`] : []),
  ];
}

/** Lists whom somebody else has suspended, and who stays so. */
function keptSuspensions(kept: Plan['kept_suspensions'] = [], all = false): string[] {
  if (kept.length === 0) return [];
  const shown = all ? kept : kept.slice(0, KEPT_SUSPENSIONS_MAX);
  const more = kept.length - shown.length;
  return [
    '',
    'Suspended, and the tree says nothing of it (left so; "suspended: false" lifts it):',
    ...shown.map((one) => `  ! ${visible(keptSuspensionText(one))}`),
    ...(more > 0 ? [`  … and ${more} more; --all shows every one`] : []),
  ];
}

/** Lists what the plan leaves as it is, although nobody could declare it now. */
function refusedForms(forms: Plan['refused_forms'] = []): string[] {
  if (forms.length === 0) return [];
  const named = forms
    .slice(0, REFUSED_FORMS_MAX)
    .flatMap(({ address, managed_by, detail }) => [
      `  ! ${visible(address)}, which belongs to "${visible(managed_by)}"`,
      `      ${detail}`,
    ]);
  const more = forms.length - REFUSED_FORMS_MAX;
  return ['', 'Stored in a form that is refused now:', ...named, ...(more > 0 ? [`  … and ${more} more`] : [])];
}

/** The access rules that the plan breaks and that do not refuse it. */
function brokenRules(rules: Plan['broken_rules'] = []): string[] {
  if (rules.length === 0) return [];
  return [
    '',
    'Access rules that are broken, and refuse nothing of this:',
    ...rules.map(({ detail }) => `  ! ${visible(detail)}`),
  ];
}

function blocksOf(plan: Plan, style: RenderTextOptions['style'] = (_, text) => text): Block[] {
  const block = (kind: Kind, description: Description): Block => {
    const { mark, title } = description;
    return { mark, kind, lines: [`  ${style(COLOURS[mark], `${mark} ${title}`)}`, ...detailLines(description)] };
  };
  return [
    ...plan.changes.map((change) => block(change.kind, describe(change))),
    ...(plan.followers ?? []).map((follower) => block(follower.kind, describeFollower(follower))),
  ];
}

/** Within a record that comes or goes as a whole, its values need no sign of their own. */
function detailLines({ mark, details }: Description): string[] {
  const width = Math.max(0, ...details.map(({ name }) => name.length));
  const whole = mark === '+' || mark === '-';
  return details.map(({ name, before, after }) => {
    const value = whole ? (after ?? before) : valueLine(before, after);
    return `      ${name.padEnd(width)}  ${value}`;
  });
}

function valueLine(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `+ ${after}`;
  return after === undefined ? `- ${before}` : `${before} → ${after}`;
}

function withinBound(blocks: readonly Block[]): Set<Block> {
  const shown = new Set<Block>();
  let room = LINES_MAX;
  for (const mark of PRIORITY) {
    for (const block of blocks) {
      if (block.mark !== mark || block.lines.length > room) continue;
      room -= block.lines.length;
      shown.add(block);
    }
  }
  return shown;
}

function summary(hidden: readonly Block[]): string[] {
  const counts = new Map<string, { mark: string; kind: Kind; count: number }>();
  for (const { mark, kind } of hidden) {
    const key = `${mark}${kind}`;
    counts.set(key, { mark, kind, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [
    `  … and ${hidden.length} more; --all shows every one:`,
    ...[...counts.values()].map(({ mark, kind, count }) => `      ${mark} ${countOf(count, kind)}`),
  ];
}
