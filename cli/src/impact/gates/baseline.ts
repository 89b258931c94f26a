import { readFile } from 'node:fs/promises';
import type { Finding } from '@authz-service/core/questions/impact/api/finding';
import { widens } from '@authz-service/core/questions/impact/report/access-report';
import { plain } from '@authz-service/core/questions/impact/report/render-access-text';
import { sentence } from '@authz-service/core/questions/impact/report/sentence';
import * as z from 'zod';
import { UsageError } from '../../errors/usage-error.js';
import { writeText } from '../../output/write-text.js';

const baselineSchema = z.strictObject({
  format: z.literal(1),
  /** An acknowledged finding: its id, and its words, for people. */
  findings: z.array(z.strictObject({ id: z.string().regex(/^[0-9a-f]{16}$/), says: z.string() })),
});

/** The ids of the findings that a file acknowledges. Throws `UsageError` where it is no baseline. */
export async function readBaseline(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Node names no file where it is a folder.
    throw Object.assign(error, { path: file });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const parsed = baselineSchema.safeParse(value);
  if (parsed.success) return new Set(parsed.data.findings.map(({ id }) => id));
  const [issue] = parsed.error.issues;
  throw new UsageError(
    `${file} is no baseline (/${issue?.path.join('/')}: ${issue?.message}): write one with --write-baseline.`,
  );
}

/** Writes what gates would otherwise refuse. Sorted, so that a new finding is one new line. */
export async function writeBaseline(file: string, findings: readonly Finding[]): Promise<void> {
  const lines = findings
    .filter(widens)
    .map((finding) => {
      const { who, does } = sentence(finding);
      return JSON.stringify({ id: finding.id, says: `${plain(who)}${plain(does)}` });
    })
    .sort();
  await writeText(file, `{"format": 1, "findings": [\n${lines.join(',\n')}\n]}\n`);
}
