import type { AccessReport, ReportedFinding } from '@authz-service/core/questions/impact/report/access-report';
import { amount } from '@authz-service/core/questions/impact/report/phrase';
import { plain } from '@authz-service/core/questions/impact/report/render-access-text';
import { labelOf, permissions, sentence } from '@authz-service/core/questions/impact/report/sentence';
import { summary } from '@authz-service/core/questions/impact/report/summary';

/** The most findings that are shown unless all are wanted: about a screen. */
const SHOWN_MAX = 30;

/** Lines about who may do what no more, or again, once something has ended; the next first. */
export function renderEnded(report: AccessReport, all: boolean): string[] {
  const sorted = [...report.findings].sort((left, right) => momentOf(left) - momentOf(right));
  const shown = all ? sorted : sorted.slice(0, SHOWN_MAX);
  const rows = shown.map((finding) => {
    const { who, does } = sentence(finding);
    return `  ${labelOf(finding).padEnd(9)}${plain(who)}${plain(does)} – ${permissions(finding)}`;
  });
  const hidden = sorted.length - shown.length;
  return [
    `Access then: ${summary(report).title}.`,
    ...rows,
    ...(hidden > 0 ? [`  … and ${amount(hidden)} more; --all shows them`] : []),
  ];
}

function momentOf({ from }: ReportedFinding): number {
  return from === null ? 0 : Date.parse(from);
}
