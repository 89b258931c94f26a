/** Regenerates the constructs from the sources: a vitest global setup for the unit tests. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('provider-constructs.mjs', import.meta.url));

export default function setup(project) {
  // The generator sets environment variables that the tests must not see, so it runs in a process of its own.
  const generate = () => execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  generate();
  project.onTestsRerun(generate);
}
