import { markdownCode, markdownText } from '../../../text/markdown-code.js';
import { type AccessReport, type NoAccessReport, type ReportedFinding, RULES_GATE } from './access-report.js';
import { type CauseGroup, RISKS, risksOf, rowsOf } from './by-cause.js';
import { groupCause, groupSentence, rareLine, rarestTitle } from './group-sentence.js';
import { amount, named, type Phrase, phrase, plural } from './phrase.js';
import { causePhrase, labelOf, permissions, sentence } from './sentence.js';
import { gateText, summary } from './summary.js';
import { type Checks, verdictOf } from './verdict.js';

export interface RenderAccessMarkdownOptions {
  /** The most characters of a comment that the part may take. */
  charactersMax?: number;
  /** Names nobody and nothing. */
  countsOnly?: boolean;
  /** The command that prints every finding. */
  allCommand?: string | undefined;
}

/** GitHub takes comments of 65,536 characters; a pipeline writes the plan of Terraform below this. */
const CHARACTERS_MAX = 40_000;
/** Findings that are shown at once; the others are in a section that opens. */
const OPEN_MAX = 12;
/** Longer conditions are cut. */
const NAME_CHARACTERS_MAX = 300;

/** The verdict on a change, as the first lines of a comment on a pull request. */
export function renderVerdictMarkdown(
  report: AccessReport | NoAccessReport | undefined,
  checks: Checks,
  countsOnly = false,
): string {
  const { outcome, line, more } = verdictOf(report, checks, countsOnly);
  const items = bounded(more, (one) => `- ${markdownText(cut(one))}`);
  return [`### ${MARKS[outcome]}${markdownText(cut(line))}.`, '', ...items, ...(items.length > 0 ? [''] : [])].join(
    '\n',
  );
}

/** Sentences of a kind that are shown, and characters of one: a witness may be as large as a request. */
const SENTENCES_MAX = 10;
const SENTENCE_CHARACTERS_MAX = 800;

function bounded(sentences: readonly string[], write: (sentence: string) => string): string[] {
  const more = sentences.length - SENTENCES_MAX;
  return [...sentences.slice(0, SENTENCES_MAX), ...(more > 0 ? [`And ${amount(more)} more.`] : [])].map(write);
}

function cut(sentence: string): string {
  return sentence.length > SENTENCE_CHARACTERS_MAX ? `${sentence.slice(0, SENTENCE_CHARACTERS_MAX)}…` : sentence;
}

const MARKS = { refused: '❌ ', open: '⚠️ ', passed: '✅ ', none: '' } as const;

/**
 * Renders what a change does to access as part of a comment on a pull request, for readers who did not write the change:
 * what is worst first, by the change that brings it; findings alike are summed up. What has no room is counted.
 */
export function renderAccessMarkdown(
  report: AccessReport | NoAccessReport,
  { charactersMax = CHARACTERS_MAX, countsOnly = false, allCommand }: RenderAccessMarkdownOptions = {},
): string {
  if ('unavailable' in report) {
    return `#### Access: not known\n\n${countsOnly ? 'It could not be computed.' : markdownText(report.unavailable)}\n`;
  }
  const { title, text } = summary(report, countsOnly);
  const head = [`#### Access: ${markdownText(cut(title))}`, '', ...gateLines(report, countsOnly), text, ''];
  if (countsOnly) return head.join('\n');
  head.push(...bounded(report.gaps ?? [], (gap) => `**Not known:** ${markdownText(cut(gap))}\n`));
  const { blocks, namedRoles } = rowsOf(report);
  const rows = new RowWriter(charactersMax - head.join('\n').length - 800);
  for (const block of blocks) rows.add(block);
  const roles = new RowWriter(rows.room, 0);
  for (const block of namedRoles) roles.add(block);
  const parts = [...head, ...rows.open.slice(1), ''];
  if (rows.folded.length > 0) parts.push(...folded(plural(rows.foldedRows, 'more row'), rows.folded));
  const roleTitle = `What ${namedText(namedRoles)} would bring, if requests name ${namedRoles.length === 1 ? 'it' : 'them'}`;
  if (roles.folded.length > 0) parts.push(...folded(roleTitle, roles.folded));
  const left = rows.leftOut + roles.leftOut;
  if (left > 0) parts.push(`**${plural(left, 'more row')}** left out here, for the length of a comment.`, '');
  const isShort = left === 0 && (report.groups ?? []).length === 0;
  if (!isShort && allCommand !== undefined)
    parts.push(
      `All ${plural(report.findings.length, 'finding')}, one by one: ${markdownCode(allCommand, NAME_CHARACTERS_MAX)}`,
      '',
    );
  return parts.join('\n');
}

/** The lines of a section that opens. */
function folded(title: string, lines: readonly string[]): string[] {
  return [`<details><summary>${title}</summary>`, ...lines, '', '</details>', ''];
}

function namedText(blocks: readonly CauseGroup[]): string {
  const roles = new Set(
    blocks.flatMap(({ findings }) => findings.flatMap(({ subjects }) => subjects.named_role ?? [])),
  );
  return marked(named([...roles].sort(), 3));
}

/** Writes rows as long as there is room: some at once, the others folded. */
class RowWriter {
  readonly open: string[] = [];
  readonly folded: string[] = [];
  foldedRows = 0;
  leftOut = 0;
  #shown = 0;

  constructor(
    public room: number,
    private readonly openMax = OPEN_MAX,
  ) {}

  add({ cause, findings, group }: CauseGroup): void {
    const why = cause.length > 0 ? phrase(causePhrase(cause), alternatives(findings)) : group && groupCause(findings);
    const heading =
      why === undefined || why.length === 0 ? '**By the changes together:**' : `**Because ${marked(why)}:**`;
    const rows = group === undefined ? findings.map(findingLines) : [groupLines(group, findings[0] as ReportedFinding)];
    // A link says itself how it comes.
    const headed = group?.link === undefined;
    let into: string[] | undefined;
    for (const lines of rows) {
      const part = this.#shown < this.openMax ? this.open : this.folded;
      const wanted = part === into ? lines : ['', ...(headed ? [heading, ''] : []), ...lines];
      const length = wanted.reduce((sum, line) => sum + line.length + 1, 0);
      if (length > this.room) {
        this.leftOut += 1;
        continue;
      }
      part.push(...wanted);
      into = part;
      this.room -= length;
      this.#shown += 1;
      if (part === this.folded) this.foldedRows += 1;
    }
  }
}

function gateLines({ gates = [] }: AccessReport, countsOnly: boolean): string[] {
  // The verdict says what access rules refuse.
  const own = gates.filter(({ gate }) => gate !== RULES_GATE);
  const lines = own.map((gate) => `- ${gate.passed ? '✅' : '❌'} ${markdownText(gateText(gate, countsOnly))}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

function alternatives(findings: readonly ReportedFinding[]): string {
  const others = Math.max(...findings.map(({ causes }) => causes.length)) - 1;
  return others > 0 ? `, or ${plural(others, 'other change')} alike` : '';
}

function findingLines(finding: ReportedFinding): string[] {
  const members = finding.members ?? [];
  const line = rowLine(finding, { ...sentence(finding), many: permissions(finding) });
  return members.length === 0 ? [line] : [line, `  <br>${members.map((member) => markdownCode(member)).join(', ')}`];
}

function groupLines(group: NonNullable<CauseGroup['group']>, first: ReportedFinding): string[] {
  const line = rowLine(first, { ...groupSentence(group, first), many: permissions(group) });
  const rare = group.rarest.map((one) => `  - ${marked(rareLine(group, one))}`);
  return [line, '', `  <details><summary>${rarestTitle(group)}</summary>`, '', ...rare, '', '  </details>'];
}

function rowLine(finding: ReportedFinding, { who, does, many }: { who: Phrase; does: Phrase; many: string }): string {
  const risks = risksOf(finding).map((risk) => ` ⚠️ ${RISKS[risk]}:`);
  const count = many === '' ? '' : ` <sub>${many}</sub>`;
  const known = finding.acknowledged ? ' <sub>in the baseline</sub>' : '';
  return `- **${labelOf(finding)}:**${risks.join('')} ${marked(who)}${marked(does)}.${count}${known}`;
}

function marked(phrase: Phrase): string {
  return phrase
    .map((part) => (typeof part === 'string' ? markdownText(part) : markdownCode(part.name, NAME_CHARACTERS_MAX)))
    .join('');
}
