import { visible } from '../../../text/visible.js';
import type { AccessReport, NoAccessReport, ReportedFinding } from './access-report.js';
import { byCause, type CauseGroup, RISKS, risksOf, rowsOf } from './by-cause.js';
import { groupCause, groupSentence, isUniform, rareLine, rarestTitle } from './group-sentence.js';
import { named, type Phrase, plural } from './phrase.js';
import { causePhrase, LABELS, labelOf, permissions, sentence } from './sentence.js';
import { gateText, summary } from './summary.js';

export interface RenderAccessOptions {
  /** Paints text for a terminal. */
  style?: (format: 'bold' | 'green' | 'red' | 'yellow' | 'dim', text: string) => string;
  /** Shows every finding, however many, and sums none up. */
  all?: boolean;
  /** Names nobody and nothing. */
  countsOnly?: boolean;
}

/** About a screen. */
const LINES_MAX = 40;

const COLOURS = {
  gained: 'yellow',
  widened: 'yellow',
  changed: 'yellow',
  unknown: 'red',
  lost: 'green',
  narrowed: 'green',
} as const;
const LABEL_WIDTH = Math.max(...Object.values(LABELS).map((label) => label.length));

/** Renders the effect of a change on access for people at a terminal, in lines. */
export function renderAccessText(report: AccessReport | NoAccessReport, options: RenderAccessOptions = {}): string[] {
  const { style = (_, text) => text, all = false, countsOnly = false } = options;
  if ('unavailable' in report) return [`${style('bold', 'Access:')} not known. ${visible(report.unavailable)}`];
  const { title, text } = summary(report, countsOnly);
  const lines = [`${style('bold', `Access: ${visible(title)}.`)} ${text}`];
  if (!countsOnly && report.findings.length > 0) lines.push(...rowLines(report, style, all));
  if (!countsOnly) lines.push(...gapLines(report, style));
  for (const gate of report.gates ?? []) {
    const mark = gate.passed ? style('green', '✓') : style('red', '✗');
    lines.push(`${mark} ${visible(gateText(gate, countsOnly))}`);
  }
  return lines;
}

function rowLines(report: AccessReport, style: Style, all: boolean): string[] {
  if (all) return blockLines(byCause(report.findings), style, Number.POSITIVE_INFINITY);
  const { blocks, namedRoles } = rowsOf(report);
  const lines = blockLines(blocks, style, LINES_MAX);
  if (namedRoles.length === 0) return lines;
  const findings = namedRoles.flatMap((block) => block.findings);
  const roles = [...new Set(findings.flatMap(({ subjects }) => subjects.named_role ?? []))].sort();
  const what = `${plural(findings.length, 'finding')} about what requests get by naming ${plain(named(roles, 3))}`;
  return [...lines, `  … and ${what}; --all shows every one`, ''];
}

function blockLines(blocks: readonly CauseGroup[], style: Style, linesMax: number): string[] {
  const lines: string[] = [];
  let room = linesMax;
  let hidden = 0;
  for (const block of blocks) {
    const rows =
      block.group === undefined
        ? block.findings.map((finding) => findingLines(finding, style))
        : [groupLines(block.group, block.findings[0] as ReportedFinding, style)];
    // A link says itself how it comes.
    const head = block.group?.link === undefined ? ['', heading(block, style)] : [''];
    const shown: string[] = [];
    for (const row of rows) {
      // The worst is shown however long it is.
      const fits = shown.length + row.length + head.length <= room || lines.length === 0;
      if (fits) shown.push(...row);
      else hidden += 1;
    }
    if (shown.length === 0) continue;
    lines.push(...head, ...shown);
    room -= head.length + shown.length;
  }
  if (hidden > 0) lines.push('', `  … and ${plural(hidden, 'more row')}; --all shows every finding`);
  return [...lines, ''];
}

type Style = NonNullable<RenderAccessOptions['style']>;

function heading({ cause, findings, group }: CauseGroup, style: Style): string {
  if (cause.length === 0) {
    const kinds = group === undefined ? '' : plain(groupCause(findings));
    return `  ${style('bold', kinds === '' ? 'The changes together' : kinds)}`;
  }
  const others = Math.max(...findings.map(({ causes }) => causes.length)) - 1;
  const also = others > 0 ? `, or ${plural(others, 'other change')} alike` : '';
  return `  ${style('bold', `${plain(causePhrase(cause))}${also}`)}`;
}

function findingLines(finding: ReportedFinding, style: Style): string[] {
  return [
    rowLine(finding, { ...sentence(finding), many: permissions(finding) }, style),
    ...(finding.members ?? []).map((member) => `      ${' '.repeat(LABEL_WIDTH)}${visible(member)}`),
  ];
}

function groupLines(group: NonNullable<CauseGroup['group']>, first: ReportedFinding, style: Style): string[] {
  const indent = ' '.repeat(LABEL_WIDTH + 6);
  const rare = isUniform(group)
    ? [`${rarestTitle({ ...group, rarest: group.rarest.slice(0, 1) }).replace(/; .*/, '')}.`]
    : [`${rarestTitle(group)}:`, ...group.rarest.map((one) => `  ${plain(rareLine(group, one))}`)];
  return [
    rowLine(first, { ...groupSentence(group, first), many: permissions(group) }, style),
    ...rare.map((line) => `${indent}${line}`),
    `${indent}--all shows the ${plural(group.findings.length, 'finding')} one by one.`,
  ];
}

function rowLine(
  finding: ReportedFinding,
  { who, does, many }: { who: Phrase; does: Phrase; many: string },
  style: Style,
): string {
  const label = style(COLOURS[finding.change], labelOf(finding).padEnd(LABEL_WIDTH));
  const risks = risksOf(finding).map((risk) => style('red', `[${RISKS[risk]}] `));
  const known = finding.acknowledged ? style('dim', ' (in the baseline)') : '';
  const count = many === '' ? '' : style('dim', ` – ${many}`);
  return `    ${label}  ${risks.join('')}${plain(who)}${plain(does)}${count}${known}`;
}

function gapLines({ gaps = [] }: AccessReport, style: Style): string[] {
  return gaps.map((gap) => `${style('yellow', 'not known:')} ${visible(gap)}`);
}

export function plain(phrase: Phrase): string {
  return phrase.map((part) => visible(typeof part === 'string' ? part : part.name)).join('');
}
