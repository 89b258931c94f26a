import { renderAccessMarkdown, renderVerdictMarkdown } from '../questions/impact/report/render-access-markdown.js';
import type { Checks } from '../questions/impact/report/verdict.js';
import { KINDS } from '../records/kinds.js';
import { pluralOf } from '../state/kind-words.js';
import { markdownCode, markdownText } from '../text/markdown-code.js';
import { visible } from '../text/visible.js';
import { countsLine } from './counts-line.js';
import { type Description, describe, describeFollower } from './describe.js';
import { keptSuspensionText } from './kept-suspension-text.js';
import type { Plan } from './plan.js';

/** GitHub takes comments of 65,536 characters; the rest is left to what a pipeline writes around the plan. */
const CHARACTERS_MAX = 60_000;
/** Kept free for the frames of the sections and the line about what is left out. */
const FRAME_CHARACTERS = 1_000;
/** The most characters of the comment that the Access part may take. */
const ACCESS_CHARACTERS_MAX = 35_000;

/** More records in refused forms are counted. */
const REFUSED_FORMS_MAX = 20;
const FOREIGN_LINKS_MAX = 50;
const KEPT_SUSPENSIONS_MAX = 20;
const BROKEN_RULES_MAX = 10;

const SECTIONS = [
  { title: 'Remove', marks: ['-'] },
  { title: 'Change', marks: ['~', '>'] },
  { title: 'Add', marks: ['+'] },
] as const;

export interface RenderMarkdownOptions {
  readonly checks?: Checks;
  /** The command that prints all of the plan. */
  readonly allCommand?: string | undefined;
  /** The address of the cloud that was asked. */
  readonly cloud?: string | undefined;
}

/**
 * A plan as a comment on a pull request: the verdict, what it does to access, and folded the changes of records as diffs,
 * removals first. At most 60,000 characters; what has no room is counted.
 */
export function renderMarkdown(
  plan: Plan,
  { checks = { rules: [] }, allCommand, cloud }: RenderMarkdownOptions = {},
): string {
  const { access } = plan;
  const at = cloud === undefined ? '' : ` at ${markdownCode(cloud)}`;
  const place = `Tenant ${markdownCode(plan.tenant)}${at}, stack ${markdownCode(plan.stack)}, at revision ${markdownCode(plan.base_revision)}.\n`;
  const parts = [renderVerdictMarkdown(access, checks), place, ...brokenRules(plan.broken_rules)];
  if (access !== undefined)
    parts.push(renderAccessMarkdown(access, { charactersMax: ACCESS_CHARACTERS_MAX, allCommand }));
  const beside = [
    ...foreignLinks(plan.foreign_links),
    ...keptSuspensions(plan.kept_suspensions),
    ...refusedForms(plan.refused_forms),
  ];
  const room = CHARACTERS_MAX - FRAME_CHARACTERS - [...parts, ...beside].join('\n').length;
  return [...parts, ...records(plan, room, allCommand), ...beside].join('\n');
}

/** The changes of records, folded. */
function records(plan: Plan, charactersMax: number, allCommand: string | undefined): string[] {
  const descriptions = [...plan.changes.map(describe), ...(plan.followers ?? []).map(describeFollower)];
  if (descriptions.length === 0) return ['No record changes: everything is as declared.\n'];
  const parts = [table(plan)];
  let room = charactersMax - table(plan).length;
  let leftOut = 0;
  for (const { title, marks } of SECTIONS) {
    const listed = descriptions.filter(({ mark }) => marks.some((wanted) => wanted === mark));
    const lines: string[] = [];
    for (const description of listed) {
      const block = diffLines(description);
      const length = block.reduce((sum, line) => sum + line.length + 1, 0);
      if (length > room) leftOut += 1;
      else {
        room -= length;
        lines.push(...block);
      }
    }
    if (lines.length > 0) parts.push(`**${title} (${listed.length})**\n\n${diff(lines)}\n`);
  }
  if (leftOut > 0) {
    const all = allCommand === undefined ? 'the plan as text shows all' : `${markdownCode(allCommand, 300)} shows all`;
    parts.push(`**${leftOut} more are left out here**, for the length of a comment; ${all}.\n`);
  }
  const title = `Records: ${countsLine(plan.counts).replace(/^Plan: /, '')}`;
  return [`<details><summary>${title}</summary>\n`, ...parts, '</details>\n'];
}

/** Lists what other stacks grant of this stack's records, which the tree does not hold. */
function foreignLinks(links: Plan['foreign_links'] = []): string[] {
  if (links.length === 0) return [];
  const lines = links
    .slice(0, FOREIGN_LINKS_MAX)
    .map(({ address, managed_by }) => `! ${visible(address)}, which belongs to "${visible(managed_by)}"`);
  const more = links.length - lines.length;
  const title = `Granted by other stacks (${links.length}): left alone, apply --exclusive removes them`;
  const body = diff([...lines, ...(more > 0 ? [`! … and ${more} more`] : [])]);
  return [`<details><summary>${title}</summary>\n\n${body}\n\n</details>\n`];
}

/** Lists whom somebody else has suspended, and who stays so. */
function keptSuspensions(kept: Plan['kept_suspensions'] = []): string[] {
  if (kept.length === 0) return [];
  const items = kept.slice(0, KEPT_SUSPENSIONS_MAX).map((one) => `- ${markdownText(keptSuspensionText(one))}`);
  if (kept.length > KEPT_SUSPENSIONS_MAX) items.push(`- and ${kept.length - KEPT_SUSPENSIONS_MAX} more`);
  return [`**Suspended, and the tree says nothing of it:**\n\n${items.join('\n')}\n`];
}

/** Lists what the plan leaves as it is, although nobody could declare it now. */
function refusedForms(forms: Plan['refused_forms'] = []): string[] {
  if (forms.length === 0) return [];
  const items = forms
    .slice(0, REFUSED_FORMS_MAX)
    .map(
      ({ address, managed_by, detail }) =>
        `- ${markdownCode(address)} of stack ${markdownCode(managed_by)}: ${markdownText(detail)}`,
    );
  const more = forms.length - REFUSED_FORMS_MAX;
  if (more > 0) items.push(`- and ${more} more`);
  return [`**Stored in a form that is refused now:**\n\n${items.join('\n')}\n`];
}

/** The access rules that the plan breaks and that do not refuse it. */
function brokenRules(rules: Plan['broken_rules'] = []): string[] {
  if (rules.length === 0) return [];
  const items = rules.slice(0, BROKEN_RULES_MAX).map(({ detail }) => `- ${markdownText(detail.slice(0, 800))}`);
  if (rules.length > BROKEN_RULES_MAX) items.push(`- and ${rules.length - BROKEN_RULES_MAX} more`);
  return [`**⚠️ Access rules that are broken, and refuse nothing of this:**\n\n${items.join('\n')}\n`];
}

function table(plan: Plan): string {
  const touched = [
    ...plan.changes.map(({ kind, action }) => ({ kind, action })),
    ...(plan.followers ?? []).map(({ kind }) => ({ kind, action: 'update' })),
  ];
  const rows = KINDS.flatMap((kind) => {
    const actions = touched.filter((change) => change.kind === kind).map(({ action }) => action);
    if (actions.length === 0) return [];
    const added = actions.filter((action) => action === 'create').length;
    const removed = actions.filter((action) => action === 'delete').length;
    return [`| ${pluralOf(kind)} | ${added} | ${actions.length - added - removed} | ${removed} |`];
  });
  return ['| | add | change | remove |', '|---|--:|--:|--:|', ...rows, ''].join('\n');
}

/** Inside the fence nothing is Markdown; and since every line begins with a mark, none can close it. */
function diff(lines: readonly string[]): string {
  return ['```diff', ...lines, '```'].join('\n');
}

/** `diff` colours lines by their first character: `+` green, `-` red, `!` orange. */
function diffLines({ mark, title, details }: Description): string[] {
  const lines = [`${mark === '~' || mark === '>' ? '!' : mark} ${title}`];
  for (const { name, before, after } of details) {
    if (before !== undefined) lines.push(`-     ${name}: ${before}`);
    if (after !== undefined) lines.push(`+     ${name}: ${after}`);
  }
  return lines;
}
