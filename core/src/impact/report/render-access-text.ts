import { visible } from '../../visible.js';
import type { AccessReport, NoAccessReport, ReportedFinding } from './access-report.js';
import { byCause, type CauseGroup, RISKS, risksOf } from './by-cause.js';
import { type Phrase, plural } from './phrase.js';
import { causePhrase, LABELS, permissions, sentence } from './sentence.js';
import { summary } from './summary.js';

export interface RenderAccessOptions {
  /** Paints text for a terminal. */
  style?: (format: 'bold' | 'green' | 'red' | 'yellow' | 'dim', text: string) => string;
  /** Shows every finding, however many. */
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

/** What a change does to access for people at a terminal, in lines. */
export function renderAccessText(report: AccessReport | NoAccessReport, options: RenderAccessOptions = {}): string[] {
  const { style = (_, text) => text, all = false, countsOnly = false } = options;
  if ('unavailable' in report) return [`${style('bold', 'Access:')} not known. ${visible(report.unavailable)}`];
  const { title, text } = summary(report);
  const lines = [`${style('bold', `Access: ${title}.`)} ${text}`];
  if (!countsOnly && report.findings.length > 0) lines.push(...groupLines(byCause(report.findings), style, all));
  if (!countsOnly) lines.push(...gapLines(report, style));
  for (const gate of report.gates ?? []) {
    const mark = gate.passed ? style('green', '✓') : style('red', '✗');
    lines.push(
      `${mark} --${gate.gate}: ${countsOnly ? passing(gate.passed, gate.findings.length) : visible(gate.detail)}`,
    );
  }
  return lines;
}

export function passing(passed: boolean, findings: number): string {
  if (passed) return 'passed.';
  return findings === 0 ? 'failed.' : `failed for ${plural(findings, 'finding')}.`;
}

function groupLines(groups: readonly CauseGroup[], style: Style, all: boolean): string[] {
  const lines: string[] = [];
  let room = all ? Number.POSITIVE_INFINITY : LINES_MAX;
  let hidden = 0;
  for (const group of groups) {
    const block = group.findings.flatMap((finding) => findingLines(finding, style));
    const shown = room <= 2 ? [] : fitting(group.findings, room - 2, style);
    hidden += group.findings.length - shown.length;
    if (shown.length === 0) continue;
    const printed = shown.length === group.findings.length ? block : shown.flatMap((one) => findingLines(one, style));
    lines.push('', heading(group, style), ...printed);
    room -= printed.length + 2;
  }
  if (hidden > 0) lines.push('', `  … and ${plural(hidden, 'more finding')}; --all shows every one`);
  return [...lines, ''];
}

function fitting(findings: readonly ReportedFinding[], room: number, style: Style): ReportedFinding[] {
  const shown: ReportedFinding[] = [];
  let left = room;
  for (const finding of findings) {
    left -= findingLines(finding, style).length;
    if (left < 0) break;
    shown.push(finding);
  }
  return shown;
}

type Style = NonNullable<RenderAccessOptions['style']>;

function heading({ cause, findings }: CauseGroup, style: Style): string {
  if (cause.length === 0) return `  ${style('bold', 'The changes together')}`;
  const others = Math.max(...findings.map(({ causes }) => causes.length)) - 1;
  const also = others > 0 ? `, or ${plural(others, 'other change')} alike` : '';
  return `  ${style('bold', `${plain(causePhrase(cause))}${also}`)}`;
}

function findingLines(finding: ReportedFinding, style: Style): string[] {
  const { who, does } = sentence(finding);
  const label = style(COLOURS[finding.change], LABELS[finding.change].padEnd(LABEL_WIDTH));
  const risks = risksOf(finding).map((risk) => style('red', `[${RISKS[risk]}] `));
  const known = finding.acknowledged ? style('dim', ' (in the baseline)') : '';
  const count = permissions(finding);
  const many = count === '' ? '' : style('dim', ` – ${count}`);
  return [
    `    ${label}  ${risks.join('')}${plain(who)}${plain(does)}${many}${known}`,
    ...(finding.members ?? []).map((member) => `      ${' '.repeat(LABEL_WIDTH)}${visible(member)}`),
  ];
}

function gapLines({ gaps = [] }: AccessReport, style: Style): string[] {
  return gaps.map((gap) => `${style('yellow', 'not known:')} ${visible(gap)}`);
}

export function plain(phrase: Phrase): string {
  return phrase.map((part) => visible(typeof part === 'string' ? part : part.name)).join('');
}
