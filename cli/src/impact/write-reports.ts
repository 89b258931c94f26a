import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import { string } from '@oclif/core/flags';
import { writeText } from '../output/write-text.js';

/** The flags of commands that write reports for other programs. */
export const reportFlags = {
  sarif: string({
    description: 'Write what changes in access as SARIF, for code scanning.',
    helpValue: 'FILE',
    helpGroup: 'OUTPUT',
  }),
  junit: string({
    description: 'Write gates and findings as a report in the JUnit format.',
    helpValue: 'FILE',
    helpGroup: 'OUTPUT',
  }),
};

/** Writes the reports that the flags ask for. A report that there is none of is not written: no old file may pass for it. */
export async function writeReports(
  report: AccessReport | NoAccessReport,
  flags: { sarif?: string | undefined; junit?: string | undefined; 'counts-only'?: boolean },
  version: string,
): Promise<void> {
  if ('unavailable' in report) return;
  const { sarif, junit, 'counts-only': countsOnly = false } = flags;
  if (sarif !== undefined) await writeText(sarif, (await import('./sarif.js')).sarifText(report, version, countsOnly));
  if (junit !== undefined) {
    await writeText(junit, (await import('./junit.js')).accessJunitText(report, countsOnly));
  }
}
