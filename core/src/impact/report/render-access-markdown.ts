import { markdownCode } from '../../markdown-code.js';
import { visible } from '../../visible.js';
import type { AccessReport, NoAccessReport, ReportedFinding } from './access-report.js';
import { byCause, type CauseGroup, RISKS, risksOf } from './by-cause.js';
import { type Phrase, plural } from './phrase.js';
import { passing } from './render-access-text.js';
import { causePhrase, LABELS, permissions, sentence } from './sentence.js';
import { summary } from './summary.js';

export interface RenderAccessMarkdownOptions {
  /** What the part may take of a comment. */
  charactersMax?: number;
  /** Names nobody and nothing. */
  countsOnly?: boolean;
}

/** GitHub takes comments of 65,536 characters; a pipeline writes more around this. */
const CHARACTERS_MAX = 50_000;
/** Findings that are shown at once; the others are in a section that opens. */
const OPEN_MAX = 12;
/** Longer conditions are cut. */
const NAME_CHARACTERS_MAX = 300;

/**
 * What a change does to access as part of a comment on a pull request, for readers who did not write the change: what is
 * worst first, by the change that brings it. What has no room is counted.
 */
export function renderAccessMarkdown(
  report: AccessReport | NoAccessReport,
  { charactersMax = CHARACTERS_MAX, countsOnly = false }: RenderAccessMarkdownOptions = {},
): string {
  if ('unavailable' in report) return `### Access: not known\n\n${escaped(report.unavailable)}\n`;
  const { title, text } = summary(report);
  const gates = gateLines(report, countsOnly);
  const head = [`### Access: ${title}`, '', ...gates, text, ''];
  if (countsOnly) return head.join('\n');
  for (const gap of report.gaps ?? []) head.push(`**Not known:** ${escaped(gap)}`, '');
  let room = charactersMax - head.join('\n').length - 500;
  const open: string[] = [];
  const folded: string[] = [];
  let shown = 0;
  for (const group of byCause(report.findings)) {
    const heading = `**Because ${marked(causePhrase(group.cause))}${alternatives(group)}:**`;
    let into: string[] | undefined;
    for (const finding of group.findings) {
      const lines = findingLines(finding);
      const part = shown < OPEN_MAX ? open : folded;
      const wanted = part === into ? lines : ['', group.cause.length === 0 ? '**Together:**' : heading, '', ...lines];
      const length = wanted.reduce((sum, line) => sum + line.length + 1, 0);
      if (length > room) break;
      part.push(...wanted);
      into = part;
      room -= length;
      shown += 1;
    }
  }
  const parts = [...head, ...open.slice(1), ''];
  const count = folded.filter((line) => line.startsWith('- ')).length;
  if (count > 0) {
    parts.push(`<details><summary>${plural(count, 'more finding')}</summary>`, ...folded, '', '</details>', '');
  }
  const left = report.findings.length - shown;
  if (left > 0) parts.push(`**${plural(left, 'more finding')}** left out here, for the length of a comment.`, '');
  return parts.join('\n');
}

function gateLines({ gates = [] }: AccessReport, countsOnly: boolean): string[] {
  const lines = gates.map(({ gate, passed, detail, findings }) => {
    const said = countsOnly ? passing(passed, findings.length) : escaped(detail);
    return `- ${passed ? '✅' : '❌'} <code>${gate}</code>: ${said}`;
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

function alternatives({ findings }: CauseGroup): string {
  const others = Math.max(...findings.map(({ causes }) => causes.length)) - 1;
  return others > 0 ? `, or ${plural(others, 'other change')} alike` : '';
}

function findingLines(finding: ReportedFinding): string[] {
  const { who, does } = sentence(finding);
  const risks = risksOf(finding).map((risk) => ` ⚠️ ${RISKS[risk]}:`);
  const count = permissions(finding);
  const many = count === '' ? '' : ` <sub>${count}</sub>`;
  const known = finding.acknowledged ? ' <sub>in the baseline</sub>' : '';
  const line = `- **${LABELS[finding.change]}:**${risks.join('')} ${marked(who)}${marked(does)}.${many}${known}`;
  const members = finding.members ?? [];
  return members.length === 0 ? [line] : [line, `  <br>${members.map((member) => markdownCode(member)).join(', ')}`];
}

function marked(phrase: Phrase): string {
  return phrase
    .map((part) => (typeof part === 'string' ? escaped(part) : markdownCode(part.name, NAME_CHARACTERS_MAX)))
    .join('');
}

/** Words in which Markdown and HTML find nothing of theirs. */
function escaped(text: string): string {
  return visible(text).replace(/[<>&*_`[\]|\\#]/g, (character) => `&#${character.codePointAt(0)};`);
}
