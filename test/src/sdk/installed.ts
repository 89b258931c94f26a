import { spawnSync } from 'node:child_process';

/** Whether a language's tool is here; where it is not, says so where nobody overlooks it. */
export function installed(tool: string, versionArgument: string, skipped: string): boolean {
  const { status } = spawnSync(tool, [versionArgument]);
  if (status === 0) return true;
  process.stderr.write(`\n*** SKIPPED: ${skipped}, because "${tool}" is not installed. CI skips none of it. ***\n\n`);
  return false;
}
